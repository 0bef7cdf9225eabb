//! The command as its documentation shows it, and what it promises to programs.

use snapbox::cmd::{Command, OutputAssert, cargo_bin};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn asr(args: &[&str]) -> Command {
    Command::new(cargo_bin!("asr")).args(args).current_dir(root())
}

fn piped(args: &[&str], input: impl Into<Vec<u8>>) -> OutputAssert {
    asr(args).stdin(input.into()).assert()
}

const ONE: &str = "{\"type\":\"message\",\"seq\":1,\"id\":\"r1\"}\n";

#[test]
fn every_example_of_the_documentation_prints_what_it_shows() {
    std::env::set_current_dir(root()).unwrap();
    trycmd::TestCases::new().register_bin("asr", cargo_bin!("asr").to_path_buf()).case("docs/command.md");
}

#[test]
fn standard_input_is_a_file_named_dash() {
    piped(&["path", "--json", "-"], ONE).success().stdout_eq("[{\"id\":\"r1\"}]\n");
    piped(&["view", "--json", "--engine", "oracle", "-"], ONE).success().stdout_eq("[{\"id\":\"r1\"}]\n");
}

/// A second read of standard input finds nothing, which is a stream without records: that would pass for a result.
#[test]
fn standard_input_cannot_be_given_twice() {
    let why = "cannot read: it is given twice, and the first time took all of it";
    let line = format!(r#"{{"error":"unusable","file":"standard input","message":"{why}"}}"#);
    piped(&["path", "--json", "-", "-"], ONE)
        .code(2)
        .stdout_eq(format!("[{{\"id\":\"r1\"}}]\n{line}\n"))
        .stderr_eq(format!("error: standard input: {why}\n"));
}

#[test]
fn every_file_gets_one_line_in_order_and_a_missing_one_does_not_stop_the_others() {
    let file = "fixtures/readings/NR-1a/input.jsonl";
    asr(&["path", "--json", file, "no/such/file", file])
        .assert()
        .code(2)
        .stdout_eq(concat!(
            "[{\"id\":\"r1\"}]\n",
            "{\"error\":\"unusable\",\"file\":\"no/such/file\",\"message\":\"cannot read: [..]\"}\n",
            "[{\"id\":\"r1\"}]\n"
        ))
        .stderr_eq("error: no/such/file: cannot read: [..]\n");
}

#[test]
fn any_bytes_are_a_stream() {
    for bytes in [&b""[..], b"\xff\xfe", b"\n\n", b"{", b"\xef\xbb\xbf{}", &[b'['; 100_000]] {
        piped(&["view", "--json", "--engine", "both", "-"], bytes).success();
        piped(&["check", "-"], bytes).success();
    }
}

#[test]
fn a_file_without_any_record_is_said_to_be_none() {
    let none = "note: standard input: expected records, [..], found none\n";
    for (bytes, said) in [
        (&b"\xff\xfe{\x00}\x00"[..], none),
        (b"no JSON\n\n[]\n", none),
        (b"", ""),
        (b"\n \r\n", ""),
        (b"no JSON\n{}", ""),
    ] {
        for from in ["asr", "auto"] {
            piped(&["view", "--from", from, "-"], bytes).success().stderr_eq(said);
        }
    }
}

#[test]
fn converted_output_appears_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.asr.jsonl");
    let to = output.to_str().unwrap();
    asr(&["convert", "fixtures/sessions/pi/garden.jsonl", "--output", to]).assert().success().stdout_eq("");
    let written = fs::read(&output).unwrap();
    assert!(written.ends_with(b"}\n"));

    asr(&["convert", "--from", "pi", "README.md", "--output", to]).assert().code(2);
    assert_eq!(fs::read(&output).unwrap(), written, "a conversion that fails leaves the old file");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "and nothing beside it");
}

#[cfg(unix)]
#[test]
fn output_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for (to, reason) in [
        (folder.path().join("no/such"), "entity not found"),
        (folder.path().to_owned(), "Is a directory (os error 21)"),
    ] {
        let message = format!("error: cannot write the output: {}: {reason}\n", to.display());
        let convert = asr(&["convert", "fixtures/sessions/pi/garden.jsonl", "-o"]).arg(&to).assert();
        convert.code(2).stderr_eq(message);
    }
}

#[cfg(unix)]
#[test]
fn converted_output_leaves_links_pipes_and_permissions_as_they_are() {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let convert =
        |to: &str| asr(&["convert", "fixtures/sessions/pi/garden.jsonl", "-o"]).arg(at(to)).assert();
    let mode = |name: &str| fs::metadata(at(name)).unwrap().permissions().mode() & 0o777;

    fs::write(at("any"), "").unwrap();
    convert("new").success();
    assert_eq!(mode("new"), mode("any"), "as any new file");
    fs::set_permissions(at("any"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("any", at("link")).unwrap();
    convert("link").success();
    assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
    assert_eq!((fs::read(at("any")).unwrap(), mode("any")), (fs::read(at("new")).unwrap(), 0o640));

    assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    let (name, expected) = (at("pipe"), fs::read(at("new")).unwrap());
    let reader = std::thread::spawn(move || fs::read(name).unwrap());
    convert("pipe").success();
    assert!(fs::symlink_metadata(at("pipe")).unwrap().file_type().is_fifo());
    assert_eq!(reader.join().unwrap(), expected);
    asr(&["convert", "fixtures/sessions/pi/garden.jsonl", "-o", "-"]).assert().success().stdout_eq(expected);
}

/// Whoever closes the standard error does not change what the command does, let alone make it panic.
#[cfg(unix)]
#[test]
fn messages_that_nobody_reads_change_nothing() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let run = std::process::Command::new(cargo_bin!("asr"))
        .args(["path", "--json", "no/such/file", "-"])
        .stdin(std::process::Stdio::null())
        .stderr(writer)
        .output()
        .unwrap();
    let lines: Vec<_> = run.stdout.split(|&byte| byte == b'\n').collect();
    assert!(lines[0].starts_with(b"{\"error\":\"unusable\""));
    assert_eq!((run.status.code(), &lines[1..]), (Some(2), &[&b"[]"[..], b""][..]));
}

#[test]
fn text_from_a_session_cannot_drive_the_terminal() {
    let text = r"{\u001b]0;owned\u0007\u001b[31mred\n\r\u0000}";
    let message = format!(r#""role":"user","content":[{{"type":"text","text":"{text}"}}]"#);
    let record = format!(r#"{{"type":"message","seq":1,"id":"{text}",{message}}}"#);
    let lost = format!(r#"{{"type":"session_info","seq":2,"id":"h","heads":["{text}","lost {text}"]}}"#);
    let native = format!(r#"{{"type":"{text}","uuid":"u","sessionId":"s"}}"#);
    let (one, two) = (format!("{record}\n"), format!("{record}\n{lost}\n"));
    // JSON allows what is no ASCII control character as it is; U+009B begins a sequence as ESC [ does.
    let raw = "{\"type\":\"rewind\",\"seq\":1,\"id\":\"r\u{9b}31m\",\"reason\":\"\u{9b}2J\",\"to\":\"\u{9b}31m\"}\n".to_owned();
    for (args, input) in [
        (&["view", "-"][..], &one),
        (&["path", "-"], &two),
        (&["heads", "-"], &two),
        (&["explain", "-"], &one),
        (&["explain", "-"], &raw),
        (&["validate", "-"], &two),
        (&["validate", "-"], &raw),
        (&["view", "--head", "\u{1b}[31mlost", "-"], &one),
        (&["convert", "--from", "claude-code", "-"], &native),
        (&["view", "\u{1b}[31mno-file"], &one),
    ] {
        let output = piped(args, input.as_str());
        let output = output.get_output();
        for printed in [&output.stdout, &output.stderr] {
            let printed = std::str::from_utf8(printed).unwrap();
            let is_obeyed = |char: char| char.is_control() && char != '\n';
            assert!(!printed.contains(is_obeyed), "{args:?}: {}", printed.escape_debug());
        }
    }
}

/// What `asr explain` says of a stream, without the introduction and the legend.
fn story(args: &[&str], stream: &str) -> String {
    let output = piped(&[&["explain", "-"], args].concat(), stream);
    let text = String::from_utf8_lossy(&output.get_output().stdout);
    let story = text.split_once("\nThe head").map_or("", |(_, story)| story);
    story.split_once("\nThe steps of the Structure chapter").map_or("", |(story, _)| story).to_owned()
}

/// Every head that names no record once passed for the first one.
#[test]
fn only_the_first_head_counts_in_a_story() {
    let heads =
        |heads| format!("{ONE}{{\"type\":\"session_info\",\"seq\":2,\"id\":\"s\",\"heads\":{heads}}}\n");
    assert!(story(&[], &heads(r#"["r1","lost"]"#)).contains("counts. It leads to r1.  [HD2, HD3]"));
    assert!(story(&[], &heads(r#"["lost","r1"]"#)).contains("counts. It identifies no record of the"));
    assert!(story(&[], &heads("[null]")).contains("so there is no path.  [HD2, HD4]"));
}

/// What is removed or inserted is called by what it is: two entries may be of one record.
#[test]
fn a_story_tells_records_from_copies_summaries_and_marks() {
    let compaction = |seq: u64, more: &str| {
        let form = r#""kind":"summary","summary":[{"type":"text","text":"s"}]"#;
        format!(
            "{{\"type\":\"compaction\",\"seq\":{seq},\"id\":\"r{seq}\",\"compactionId\":\"c{seq}\",{form},{more}}}\n"
        )
    };
    let first = compaction(2, r#""replaces":{"state":"unknown"},"retains":[{"ref":"r1"},{"ref":"lost"}]"#);
    let second = compaction(3, r#""replaces":{"throughId":"r2"}"#);
    let told = story(&[], &[ONE, &first, &second].concat());
    let removed = "It removes r1, the mark of r2, the copy of r1, a mark, the summary of r2.";
    assert!(told.contains(removed), "{told}");
    let told = story(&[], &[ONE, &first].concat());
    let inserted = concat!(
        "In its place: a mark that something unknown was replaced, then carried copies of r1, ",
        "then a mark that lost identifies no record, then its summary, ",
    );
    assert!(told.contains(inserted), "{told}");
}

#[test]
fn a_story_says_why_step_four_drops_a_record() {
    let stream = concat!(
        "{\"type\":\"tool_call\",\"seq\":1,\"id\":\"call\",\"callId\":\"A\",\"requestedBy\":\"code\"}\n",
        "{\"type\":\"tool_result\",\"seq\":2,\"id\":\"result\",\"callId\":\"A\"}\n",
        "{\"type\":\"message\",\"seq\":3,\"id\":\"aside\",\"audience\":\"user\"}\n",
        "{\"type\":\"message\",\"seq\":4,\"id\":\"taken\"}\n",
        "{\"type\":\"message\",\"seq\":5,\"id\":\"back\",\"supersedes\":\"taken\",\"status\":\"withdrawn\"}\n",
    );
    let told = story(&[], stream);
    for reason in [
        "call: made by a program",
        "result: the result of a call that a program made",
        "aside: shown to the user only",
        "taken: withdrawn",
    ] {
        assert!(told.contains(reason), "{told}");
    }
}

#[test]
fn a_story_names_what_the_path_left_behind_as_far_as_one_can_read_it() {
    let abandoned = |count: u64| {
        let records = (2..2 + count)
            .map(|at| ONE.replace("\"seq\":1,\"id\":\"r1\"", &format!("\"seq\":{at},\"id\":\"r{at}\"")));
        let rewind = "{\"type\":\"rewind\",\"seq\":99,\"id\":\"w\",\"to\":\"r1\",\"reason\":\"retry\"}\n";
        story(&[], &format!("{ONE}{}{rewind}", records.collect::<String>()))
    };
    assert!(abandoned(2).contains("facts of the session: r2, r3)"), "{}", abandoned(2));
    assert!(abandoned(21).contains("facts of the session: 21 records from r2 to r22)"), "{}", abandoned(21));
    assert!(!abandoned(0).contains("facts of the session"), "{}", abandoned(0));
}

#[test]
fn a_story_shows_where_another_reading_parts_and_what_it_sees() {
    let stream =
        [ONE, "{\"type\":\"message\",\"seq\":2,\"id\":\"r2\",\"branchesFrom\":{\"record\":null}}\n"].concat();
    let beside = |variant| {
        let told = story(&["--variant", variant], &stream);
        told.split_once("\nBeside it, ").unwrap().1.to_owned()
    };
    let told = beside("fault:record_null_is_missing");
    let expected = "  The first difference is about r2; of the steps that place it, each has taken:
    the chapter, as above  fault:record_null_is_missing
    BF2                    -
    -                      BF3
  The context view is then
      unknown  what came before is unknown
  r2  message
";
    assert!(told.ends_with(expected), "{told}");
    assert!(beside("fault:seen_by_id").ends_with("This stream makes no difference to it.\n"));
    let output =
        piped(&["explain", "--json", "--variant", "fault:record_null_is_missing", "-"], &*stream).success();
    let json: serde_json::Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    assert_eq!(
        (&json["other"]["parts_at"], json["other"]["outcome"].as_array().unwrap().len()),
        (&2.into(), 2)
    );
}

/// A byte order mark, CRLF, a blank line, a tab in front, and characters of two and four bytes before the places.
#[test]
fn lines_and_columns_are_those_that_an_editor_shows() {
    let stream = concat!(
        "\u{feff}{\"type\":\"message\",\"seq\":1,\"id\":\"r1\"}\r\n",
        " \t\r\n",
        "\t{\"type\":\"compaction\",\"n\":\"é\u{1f600}\",\"seq\":2,\"id\":\"r2\",\"compactionId\":\"c\",",
        "\"kind\":\"summary\",\"replaces\":{\"ids\":[\"r1\"],\"state\":\"unknown\"},\"keptFromId\":\"r1\"}\r\n",
    );
    let output = piped(&["validate", "--json", "-"], stream).code(1);
    let report: serde_json::Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    let found = report["violations"].as_array().unwrap().iter();
    let places: Vec<_> =
        found.map(|it| (it["requirement"].as_str(), it["line"].as_u64(), it["column"].as_u64())).collect();
    let line = stream.split('\n').nth(2).unwrap();
    let column = |text: &str| Some(line.split(text).next().unwrap().chars().count() as u64 + 1);
    assert_eq!(
        places,
        [(Some("ASR-371.a"), Some(3), column("{\"ids\"")), (Some("ASR-371.d"), Some(3), column("\"r1\"}")),]
    );
}

/// The renderer would read the whole line for each finding, and call the column in what is drawn that in the line.
#[test]
fn a_long_line_is_drawn_in_part_and_its_columns_are_those_of_the_line() {
    let ids: Vec<_> = (0..2000).map(|at| format!("\"é{at}\"")).collect();
    let line = format!(
        r#"{{"type":"compaction","seq":1,"id":"c","compactionId":"c","kind":"prune","replaces":{{"ids":[{}]}}}}"#,
        ids.join(",")
    );
    let output = piped(&["validate", "-"], &*line).code(1);
    let text = std::str::from_utf8(&output.get_output().stdout).unwrap();
    assert_eq!(text.matches("error[ASR-080]").count(), ids.len());
    for id in [&ids[0], &ids[1000], &ids[1999]] {
        let column = line.split(&**id).next().unwrap().chars().count() + 1;
        assert!(text.contains(&format!(" --> standard input:1:{column}\n")), "{id}");
    }
    assert!(text.lines().all(|line| line.chars().count() < 200));
}

#[test]
fn sarif_says_of_every_finding_which_rule_and_where() {
    let folder = tempfile::tempdir().unwrap();
    let stream = fs::read(root().join("fixtures/requirements/ASR-080-invalid/input.jsonl")).unwrap();
    fs::write(folder.path().join("a b#1.jsonl"), stream).unwrap();
    let output = asr(&["validate", "--sarif", "a b#1.jsonl"]).current_dir(folder.path()).assert().code(1);
    let log: serde_json::Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 5);
    for result in results {
        let rule = &rules[result["ruleIndex"].as_u64().unwrap() as usize];
        assert!(rule["id"] == result["ruleId"] && result["message"]["text"].is_string());
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "a%20b%231.jsonl");
        let [line, start, end] =
            ["startLine", "startColumn", "endColumn"].map(|key| place["region"][key].as_u64().unwrap());
        assert!(line > 0 && start > 0 && end > start);
    }

    let unreadable = asr(&["validate", "--sarif", "no/such/file"]).assert().code(2);
    let log: serde_json::Value = serde_json::from_slice(&unreadable.get_output().stdout).unwrap();
    assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], false);
}

#[test]
fn a_report_says_that_its_lines_are_those_of_a_conversion() {
    let file = "fixtures/sessions/pi/garden.jsonl";
    asr(&["validate", "--from", "pi", file])
        .assert()
        .success()
        .stdout_eq(format!("{file} (as converted): valid, 0 violations, 0 warnings\n"));
}

/// A number that is too large for a float is repeated as it was written. `explain --json` once panicked here, since it
/// made a `serde_json::Value` of the outcome first; what people read was not affected.
#[test]
fn values_are_repeated_as_they_were_written() {
    let from = r#"{"n":1e999,"m":12345678901234567890123,"f":4.0}"#;
    let inherits = format!(r#"{{"mode":"referenced","from":{from},"throughOrdinal":4.0}}"#);
    let stream = format!(
        "{}\n{ONE}",
        format_args!(r#"{{"type":"session_info","seq":0,"id":"s","lineage":{{"inherits":{inherits}}}}}"#)
    );
    // The members of an object are sorted.
    let marker =
        r#"{"inherited":{"session":{"f":4.0,"m":12345678901234567890123,"n":1e999},"throughOrdinal":4.0}}"#;
    let outcome = format!(r#"[{marker},{{"id":"r1"}}]"#);
    for (args, begin, end) in [
        (&["view", "--json", "-"][..], "", "\n"),
        (&["path", "--json", "--engine", "both", "-"], "", "\n"),
        (&["view", "--json", "--leaves", "-"], r#"{"file":"standard input","head":"r1","outcome":"#, "}\n"),
        (&["explain", "--json", "-"], r#"{"outcome":"#, ",\"steps\":[..]}\n"),
    ] {
        piped(args, &*stream).success().stdout_eq(format!("{begin}{outcome}{end}"));
    }
    piped(&["explain", "-"], &*stream).success();
    piped(&["view", "--leaves", "-"], &*stream).success();
}

#[test]
fn wrong_usage_is_status_two() {
    asr(&["path"]).assert().code(2);
    asr(&["view", "--head", "r1", "--head-start", "-"]).assert().code(2);
    asr(&["view", "--from", "emacs", "-"]).assert().code(2);
    asr(&["convert", "--from", "asr", "fixtures/sessions/pi/garden.jsonl"]).assert().code(2);
}

#[test]
fn what_explore_is_asked_of_streams_decides_its_status() {
    let folder = tempfile::tempdir().unwrap();
    let save = folder.path().join("found.asr.jsonl");
    let explore = |more: &[&str]| {
        let args = [&["explore", "A", "-n", "2", "--save", save.to_str().unwrap()], more].concat();
        asr(&args).assert()
    };
    explore(&["--never", "outcome=no_default_path", "--sometimes", "outcome=cycle"]).code(0);
    explore(&["--never", "outcome=cycle"]).code(1);
    let cycle = fs::read_to_string(&save).unwrap();
    asr(&["explore", "--replay", "A:2:7"]).assert().code(0).stdout_eq(cycle);
    explore(&["--sometimes", "step=V3b-kept"]).code(3);
    explore(&["--sometimes", "step=V3b"]).code(2);
    explore(&["--quotient", "Q5,Q6"]).code(0);
    explore(&["--quotient", "Q12"])
        .code(2)
        .stderr_eq("error: slice A cannot be divided by Q12: expected Q4, Q5, Q6, Q7\n");
    explore(&["--from", "2:70"]).code(0);
    explore(&["--from", "2:77"]).code(2).stderr_eq(
        "error: `A:2:77` names no stream: expected SCOPE:N:RANK, and a rank below the number of streams\n",
    );
}

#[test]
fn witnesses_of_a_scope_are_written_as_cases_which_keep_their_titles() {
    let suite = tempfile::tempdir().unwrap();
    let write = || {
        let args = ["explore", "R", "-n", "4", "--witness", "--write", suite.path().to_str().unwrap()];
        // The slice tells only some variants apart.
        asr(&args).assert().code(3);
    };
    write();
    let case = suite.path().join("readings/NR-3b=deepest");
    let stream = fs::read(case.join("input.jsonl")).unwrap();
    assert_eq!(stream.iter().filter(|&&byte| byte == b'\n').count(), 4);
    let meta = fs::read_to_string(case.join("meta.json")).unwrap();
    assert!(meta.contains("\"found\": \"R:4:"), "{meta}");
    let titled = meta.replacen("\"title\": \"", "\"title\": \"By hand: ", 1);
    fs::write(case.join("meta.json"), &titled).unwrap();
    write();
    assert_eq!(fs::read_to_string(case.join("meta.json")).unwrap(), titled);
}

#[test]
fn the_register_of_open_questions_is_what_the_suite_gives() {
    asr(&["spec", "readings", "--witness", "fixtures"])
        .assert()
        .code(0)
        .stdout_eq(snapbox::file!["../../docs/readings-register.md"].raw());
    asr(&["spec", "readings", "--witness", "fixtures/chapter"]).assert().code(3);
    asr(&["spec", "readings", "--witness", "fixtures", "--json"]).assert().code(2);
    for format in ["html", "json"] {
        asr(&["spec", "readings", "--witness", "fixtures", "--format", format]).assert().code(0);
    }
}
