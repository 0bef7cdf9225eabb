//! Many files at once: which they are, in which order they answer, and what a bad one changes.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use snapbox::cmd::cargo_bin;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn asr(args: &[&str]) -> Command {
    let mut command = Command::new(cargo_bin!("asr"));
    command.args(args);
    command
}

fn run(command: &mut Command) -> Output {
    command.stdin(Stdio::null()).output().unwrap()
}

fn lines(bytes: &[u8]) -> Vec<&str> {
    std::str::from_utf8(bytes).unwrap().lines().collect()
}

fn message(id: &str) -> String {
    format!("{{\"type\":\"message\",\"seq\":1,\"id\":\"{id}\"}}\n")
}

/// Sessions in folders of a hundred, each with one message named like the file; sorted by path.
fn sessions(folder: &Path, many: usize) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for number in 0..many {
        let folder = folder.join(format!("project-{:03}", number / 100));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join(format!("s{number:05}.jsonl"));
        fs::write(&path, message(&format!("s{number:05}"))).unwrap();
        fs::write(folder.join("notes.txt"), "not a session").unwrap();
        paths.push(path);
    }
    paths.sort();
    paths
}

/// The view of the file with that name.
fn view(path: &Path) -> String {
    format!("[{{\"id\":\"{}\"}}]", path.file_stem().unwrap().to_str().unwrap())
}

#[test]
fn thousands_of_files_answer_in_order_and_a_bad_one_keeps_its_line() {
    const MANY: usize = 3000;
    let folder = tempfile::tempdir().unwrap();
    let mut paths = sessions(folder.path(), MANY);
    // More than a pipe holds, and than is held before its turn, in one of the first and in one of the last.
    let long = |id: &str| (0..60_000).map(|n| message(&format!("{id}-{n}"))).collect::<String>();
    for path in [&paths[3], &paths[MANY - 3]] {
        fs::write(path, long(path.file_stem().unwrap().to_str().unwrap())).unwrap();
    }
    // Named like sessions, and not there.
    #[cfg(unix)]
    for name in ["project-000/s00005x.jsonl", "project-020/s02000x.jsonl"] {
        std::os::unix::fs::symlink("nowhere", folder.path().join(name)).unwrap();
        paths.push(folder.path().join(name));
    }
    paths.sort();
    let output = run(asr(&["view", "--json"]).arg(folder.path()));
    let found = lines(&output.stdout);
    assert_eq!(found.len(), paths.len());
    let mut bad = 0;
    for (line, path) in found.iter().zip(&paths) {
        if path.exists() && line.len() < 1000 {
            assert_eq!(*line, view(path));
        } else if path.exists() {
            let (name, count) = (path.file_stem().unwrap().to_str().unwrap(), line.matches("\"id\"").count());
            assert!(line.starts_with(&format!("[{{\"id\":\"{name}-0\"}},")), "{name}: {count} entries");
            assert_eq!(count, 60_000);
        } else {
            bad += 1;
            let error: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(error["error"], "unusable");
            assert_eq!(error["file"], path.to_str().unwrap());
            assert!(error["message"].as_str().unwrap().starts_with("cannot read: "), "{line}");
        }
    }
    let said = lines(&output.stderr);
    assert_eq!((said.len(), output.status.code()), (bad, Some(if bad == 0 { 0 } else { 2 })), "{said:?}");
    let names =
        paths.iter().filter(|path| !path.exists()).map(|path| format!("error: {}: cannot", path.display()));
    assert!(said.iter().zip(names).all(|(said, name)| said.starts_with(&name)), "{said:?}");
}

#[test]
fn files_answer_in_the_order_in_which_they_are_given() {
    let folder = tempfile::tempdir().unwrap();
    let mut paths = sessions(folder.path(), 300);
    paths.reverse();
    for verb in ["view", "path"] {
        let output = run(asr(&[verb, "--json"]).args(&paths));
        assert_eq!(lines(&output.stdout), paths.iter().map(|path| view(path)).collect::<Vec<_>>());
    }
    // Each of them once, in order.
    for args in [&["heads", "--json"][..], &["check", "--json"], &["validate"], &["explain", "--json"]] {
        let output = run(asr(args).args(&paths));
        assert_eq!((lines(&output.stderr), output.status.code() < Some(2)), (vec![], true), "{args:?}");
        let output = String::from_utf8(output.stdout).unwrap();
        let place = |path: &PathBuf| output.find(path.file_stem().unwrap().to_str().unwrap());
        let places: Option<Vec<_>> = paths.iter().map(place).collect();
        assert!(places.is_some_and(|places| places.is_sorted()), "{args:?}");
    }
    let output = run(asr(&["validate", "--json"]).args(&paths));
    assert_eq!(lines(&output.stdout).len(), paths.len());
}

#[test]
fn a_pattern_and_a_directory_name_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    let paths = sessions(folder.path(), 250);
    let expected: Vec<_> = paths.iter().map(|path| view(path)).collect();
    for pattern in ["", "**", "**/*.jsonl", "project-*", "project-*/*.jsonl"] {
        let output = run(asr(&["view", "--json"]).arg(folder.path().join(pattern)));
        assert_eq!(lines(&output.stdout), expected, "{pattern}");
        assert_eq!(output.status.code(), Some(0), "{pattern}");
    }
    let output = run(asr(&["view", "--json"]).arg(folder.path().join("project-00[1]/s0010?.jsonl")));
    assert_eq!(lines(&output.stdout).len(), 10);

    // A file that looks like a pattern is a file.
    let odd = folder.path().join("s[1].jsonl");
    fs::write(&odd, message("odd")).unwrap();
    assert_eq!(lines(&run(asr(&["view", "--json"]).arg(&odd)).stdout), [r#"[{"id":"odd"}]"#]);
}

#[test]
fn where_there_is_nothing_to_read_it_is_said() {
    let folder = tempfile::tempdir().unwrap();
    for (name, why) in [
        ("", "expected *.jsonl files below this directory, found none"),
        ("*.jsonl", "cannot read: "),
        ("a***", "expected a path or a pattern: "),
    ] {
        let output = run(asr(&["view", "--json"]).arg(folder.path().join(name)));
        let (said, line) = (lines(&output.stderr), lines(&output.stdout));
        assert!(said.len() == 1 && said[0].contains(why), "{said:?}");
        assert!(line.len() == 1 && line[0].starts_with(r#"{"error":"unusable","file":"#), "{line:?}");
        assert_eq!(output.status.code(), Some(2));
    }
}

#[cfg(unix)]
#[test]
fn links_that_go_round_are_followed_once() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let paths = sessions(folder.path(), 3);
    symlink("..", folder.path().join("project-000/up")).unwrap();
    symlink("loop", folder.path().join("loop")).unwrap();
    symlink("nowhere", folder.path().join("notes")).unwrap();
    let output = run(asr(&["view", "--json"]).arg(folder.path()));
    assert_eq!(lines(&output.stdout), paths.iter().map(|path| view(path)).collect::<Vec<_>>());
    assert_eq!((lines(&output.stderr), output.status.code()), (vec![], Some(0)));
}

/// The status is for those who wait for the end, not for those who read the beginning: it once was 0 when the reader
/// went away, whatever was found.
#[test]
fn a_reader_that_goes_away_changes_no_status() {
    let folder = tempfile::tempdir().unwrap();
    sessions(folder.path(), 3000);
    let last = folder.path().join("z.jsonl");
    fs::write(&last, "{\"type\":\"message\",\"seq\":1,\"id\":\"r1\",\"branchesFrom\":{}}\n").unwrap();
    fs::write(folder.path().join("project-000/s00000.jsonl"), "").unwrap();
    for (args, code) in [
        (&["validate"][..], 1),
        (&["validate", "--json"], 1),
        (&["validate", "--sarif"], 1),
        (&["view"], 0),
        (&["view", "--json", "--leaves"], 0),
        (&["view", "--from", "pi", "--json"], 2),
    ] {
        let mut command = asr(args);
        let command = command.arg(folder.path()).stdin(Stdio::null());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::with_capacity(1, child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "{args:?}");
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(code), "{args:?}");
        assert!(said.lines().all(|line| line.starts_with("error: ") && code == 2), "{args:?}: {said}");
    }
}

/// Also where a file is named twice, and its place below what was given is the same.
#[test]
fn one_log_has_the_findings_of_all_files_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let mut paths = sessions(folder.path(), 50);
    for path in &paths {
        fs::write(path, "{\"type\":\"message\",\"seq\":1,\"id\":\"r1\",\"branchesFrom\":{}}\n").unwrap();
    }
    paths.push(paths[7].clone());
    let output = run(asr(&["validate", "--sarif"]).args(&paths));
    let log: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap().iter();
    let place = |result: &serde_json::Value| {
        let location = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        PathBuf::from(location.as_str().unwrap().strip_prefix("file://").unwrap())
    };
    assert_eq!(results.map(place).collect::<Vec<_>>(), paths);
}

#[test]
fn a_folder_of_native_sessions_becomes_a_folder_of_streams() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/sessions");
    let (native, streams) = (folder.path().join("native"), folder.path().join("streams/new"));
    let files =
        ["claude-code/garden.jsonl", "claude-code/slice.jsonl", "pi/garden.jsonl", "pi/linear-v1.jsonl"];
    for file in files {
        fs::create_dir_all(native.join(file).parent().unwrap()).unwrap();
        fs::copy(sessions.join(file), native.join(file)).unwrap();
    }
    fs::write(native.join("pi/other.jsonl"), message("r1")).unwrap();
    let output = run(asr(&["convert", "--output"]).args([&streams, &native]));
    let said = lines(&output.stderr);
    assert!(said.iter().all(|line| line.contains("other.jsonl: cannot convert: no known agent")), "{said:?}");
    assert_eq!((said.len(), output.stdout.len(), output.status.code()), (1, 0, Some(2)));
    for file in files {
        let alone = run(asr(&["convert"]).arg(native.join(file)));
        assert_eq!(fs::read(streams.join(file)).unwrap(), alone.stdout, "{file}");
    }
    assert!(!streams.join("pi/other.jsonl").exists());

    // Neither over a session, nor over the stream of another.
    for (args, by) in [
        (vec![native.join("pi"), native.join("claude-code/garden.jsonl")], "is for another session"),
        (vec![native.join("pi"), native.join("pi")], "is for another session"),
    ] {
        let output = run(asr(&["convert", "--output"]).arg(&streams).args(args));
        assert!(String::from_utf8_lossy(&output.stderr).contains(by), "{output:?}");
        assert_eq!(output.status.code(), Some(2));
    }
    let output = run(asr(&["convert", "--output"]).args([&native, &native]));
    assert_eq!(String::from_utf8_lossy(&output.stderr).matches("is this session itself").count(), 5);
    for file in files {
        assert_eq!(fs::read(sessions.join(file)).unwrap(), fs::read(native.join(file)).unwrap());
    }
    // Several streams in a row are none.
    assert_eq!(run(asr(&["convert"]).arg(&native)).status.code(), Some(2));
}

/// Two branches, a long one and one whose head has no id, and a leaf behind a cycle.
#[test]
fn every_leaf_has_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("forest.jsonl");
    let lines_of = [
        r#"{"type":"message","seq":1,"id":"r1"}"#,
        r#"{"type":"message","seq":2,"id":"r2"}"#,
        r#"{"type":"compaction","seq":3,"id":"r3","replaces":{"throughId":"r1"},"summary":[{}]}"#,
        r#"{"type":"message","seq":4,"branchesFrom":{"record":"r1"}}"#,
        r#"{"type":"message","seq":5,"id":"r5","branchesFrom":{"record":"r5"}}"#,
        r#"{"type":"message","seq":6,"id":"r6"}"#,
    ];
    fs::write(&path, lines_of.join("\n")).unwrap();
    let name = path.to_str().unwrap();
    let line =
        |head: &str, outcome: &str| format!(r#"{{"file":"{name}","head":{head},"outcome":{outcome}}}"#);
    let expected = [
        line(r#""r3""#, r#"[{"summary":"r3"},{"id":"r2"}]"#),
        line("null", r#"[{"id":"r1"},{"id":null}]"#),
        line(r#""r6""#, r#"{"error":"cycle","at":"r5"}"#),
    ];
    for engine in ["core", "oracle", "both"] {
        let output = run(asr(&["view", "--json", "--leaves", "--engine", engine]).arg(&path));
        assert_eq!(lines(&output.stdout), expected, "{engine}");
        assert_eq!(output.status.code(), Some(1), "a cycle is a finding");
    }
}
