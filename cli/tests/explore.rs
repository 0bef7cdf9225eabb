//! `asr explore` as people and programs see it: what it prints, how it ends, and what it survives.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use serde_json::Value;
use snapbox::cmd::{Command, cargo_bin};
use std::path::Path;
use std::process::{self, Stdio};
use std::time::Duration;
use std::{fs, thread};

/// `asr explore`, in a folder of its own, where counterexamples are saved.
fn asr(folder: &Path, args: &[&str]) -> process::Output {
    let command = Command::new(cargo_bin!("asr")).current_dir(folder).arg("explore").args(args);
    command.output().unwrap()
}

fn status(output: &process::Output) -> i32 {
    output.status.code().unwrap()
}

fn text(output: &process::Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The statement at the end of a text, without what depends on the machine.
fn statement(text: &str) -> Value {
    let mut statement: Value = serde_json::from_str(text.lines().next_back().unwrap()).unwrap();
    let members = statement.as_object_mut().unwrap();
    assert!(members.remove("seconds").is_some() && members.remove("threads").is_some());
    statement
}

/// A text without the line about time.
fn timeless(text: &str) -> String {
    text.lines()
        .filter(|line| !line.ends_with(" streams per second"))
        .map(|line| format!("{line}\n"))
        .collect()
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn slices_are_listed_with_the_numbers_of_their_streams() {
    let listed = asr(folder().path(), &["--list"]);
    assert_eq!(status(&listed), 0);
    assert!(
        text(&listed).lines().any(|line| line == "A  paths        7 77 1195 24161 609607"),
        "{}",
        text(&listed)
    );
    let slices = asr_checker::explore::SLICES.iter().map(|slice| slice.letter);
    assert!(text(&listed).lines().map(|line| line.chars().next().unwrap()).eq(slices));
}

#[test]
fn a_stream_is_printed_by_its_rank_and_a_rank_too_high_is_refused() {
    let folder = folder();
    let stream = asr(folder.path(), &["--replay", "A:2:9"]);
    assert_eq!(
        (status(&stream), &*text(&stream)),
        (
            0,
            concat!(
                r#"{"type":"message","seq":1,"id":"r1"}"#,
                "\n",
                r#"{"type":"message","seq":2,"id":"r2","supersedes":"r1","assembly":{"mode":"rewrite"},"branchesFrom":{"state":"unknown"}}"#,
                "\n",
            )
        )
    );
    let last = asr(folder.path(), &["--replay", "A:2:76"]);
    assert_eq!(status(&last), 0);
    for beyond in ["A:2:77", "A:2", "A:2:x"] {
        assert_eq!(status(&asr(folder.path(), &["--replay", beyond])), 2, "{beyond}");
    }
}

#[test]
fn a_sample_follows_from_its_seed() {
    let folder = folder();
    let draw = |seed| {
        let drawn = asr(folder.path(), &["Z", "-n", "6", "--sample", "300", "--seed", seed, "--json"]);
        assert_eq!(status(&drawn), 0);
        statement(&text(&drawn))
    };
    let drawn = draw("7");
    assert_eq!((&drawn["visited"], &drawn["drawn"]["of"]), (&300.into(), &"3084495162".into()));
    assert_eq!(draw("7"), drawn);
    assert_ne!(draw("8")["steps"], drawn["steps"]);
}

#[test]
fn the_statements_of_all_shards_merge_into_that_of_the_whole() {
    let folder = folder();
    let whole = asr(folder.path(), &["X", "-n", "4", "--json"]);
    let files = ["1", "2", "3"].map(|share| {
        let run = asr(folder.path(), &["X", "-n", "4", "--shard", &format!("{share}/3"), "--json"]);
        assert_eq!(status(&run), 0);
        let file = format!("{share}.json");
        fs::write(folder.path().join(&file), run.stdout).unwrap();
        file
    });
    let [a, b, c] = files.each_ref().map(String::as_str);
    let merged = asr(folder.path(), &["--json", "--merge", c, a, b]);
    assert_eq!(status(&merged), 0);
    assert_eq!(statement(&text(&merged)), statement(&text(&whole)));
    for wrong in [&["--merge", a, b][..], &["--merge", a, b, b, c], &["--merge", "none.json"]] {
        assert_eq!(status(&asr(folder.path(), wrong)), 2, "{wrong:?}");
    }
}

#[test]
fn the_exit_status_says_how_it_went() {
    let folder = folder();
    for (args, expected) in [
        (&["X", "-n", "4"][..], 0),
        (&["A", "-n", "2", "--engine", "fault:rewinds_ignored"], 1),
        (&["Q", "-n", "2"], 2),
        (&["A"], 2),
        (&["A", "-n", "99"], 2),
        (&["A", "-n", "2", "--engine", "fault:none"], 2),
        (&["V", "-n", "12"], 2),
        // Too short for what the slice promises.
        (&["A", "-n", "1"], 3),
    ] {
        let output = asr(folder.path(), args);
        assert_eq!(status(&output), expected, "{args:?}: {}", text(&output));
    }
}

#[test]
fn the_counterexample_is_saved_and_does_not_depend_on_the_number_of_threads() {
    let folder = folder();
    let saved = || fs::read_to_string(folder.path().join("counterexample.asr.jsonl")).unwrap();
    let run = |threads| {
        let args = ["A", "-n", "3", "--engine", "fault:rewinds_ignored", "--threads", threads];
        let (text_of, json) =
            (asr(folder.path(), &args), asr(folder.path(), &[&args[..], &["--json"]].concat()));
        assert_eq!((status(&text_of), status(&json)), (1, 1));
        (timeless(&text(&text_of)), statement(&text(&json)), saved())
    };
    let one = run("1");
    let (_, statement, saved) = &one;
    let id = statement["counterexample"]["id"].as_str().unwrap();
    assert_eq!(text(&asr(folder.path(), &["--replay", id])), *saved);
    for threads in ["2", "4"] {
        assert_eq!(run(threads), one, "{threads} threads");
    }
}

#[test]
fn what_dies_or_hangs_is_the_counterexample() {
    if !cfg!(feature = "planted") {
        eprintln!("skipped: there are engines that die with the feature `planted` only");
        return;
    }
    for (engine, verdict) in [
        ("planted:aborts", "the process died of signal 6 (abort)"),
        ("planted:overflows", "the process died of signal 6 (abort)"),
        ("planted:hangs", "there was no answer for 3 seconds"),
        ("planted:panics", "planted:panics panicked on reading the stream: planted"),
    ] {
        let mut first = None;
        for threads in ["1", "2", "4"] {
            let folder = folder();
            let args = ["A", "-n", "3", "--engine", engine, "--threads", threads, "--patience", "3"];
            let output = asr(folder.path(), &args);
            assert_eq!(status(&output), 1, "{engine}: {}", text(&output));
            let saved = fs::read_to_string(folder.path().join("counterexample.asr.jsonl")).unwrap();
            // The first of those at fault: two plain messages before the rewind.
            let rewind = r#"{"type":"rewind","seq":3,"id":"r3","to":"zz","reason":"other"}"#;
            assert_eq!(saved.lines().next_back(), Some(rewind));
            assert_eq!(saved.lines().filter(|line| line.contains(r#""type":"message","seq""#)).count(), 2);
            let found = timeless(&text(&output));
            assert!(found.contains(verdict), "{found}");
            assert_eq!(
                *first.get_or_insert_with(|| (found.clone(), saved.clone())),
                (found, saved),
                "{engine}"
            );
        }
    }
}

#[test]
fn a_run_that_is_killed_again_and_again_comes_to_the_same_statement() {
    let folder = folder();
    let whole = asr(folder.path(), &["A", "-n", "4", "--json"]);
    assert_eq!(status(&whole), 0);
    let whole = statement(&text(&whole));

    let file = folder.path().join("a4.json");
    let visited = || {
        let so_far = fs::read_to_string(&file).ok()?;
        let so_far: Value = serde_json::from_str(&so_far).expect("never half a file");
        so_far["visited"].as_u64()
    };
    let args = ["explore", "A", "-n", "4", "--json", "--threads", "2", "--resume", "a4.json"];
    let mut stops = Vec::new();
    // So many milliseconds after it has come further than the run before.
    for delay in [0, 23, 71, 5, 140, 40] {
        let before = visited();
        let mut run = process::Command::new(cargo_bin!("asr"));
        let mut run = run.current_dir(&folder).args(args).stdout(Stdio::null()).spawn().unwrap();
        while run.try_wait().unwrap().is_none() && visited() <= before {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(delay));
        // SIGKILL, on Unix.
        run.kill().unwrap();
        run.wait().unwrap();
        stops.push(visited().unwrap());
    }
    assert!(stops.is_sorted(), "{stops:?}");
    let total = whole["visited"].as_u64().unwrap();
    assert!(stops.iter().filter(|&&stop| 0 < stop && stop < total).count() > 1, "{stops:?} of {total}");

    let resumed = asr(folder.path(), &args[1..]);
    assert_eq!(status(&resumed), 0);
    assert_eq!(statement(&text(&resumed)), whole, "after {stops:?}");
    let of_another_run = asr(folder.path(), &["A", "-n", "3", "--resume", "a4.json"]);
    assert_eq!(status(&of_another_run), 2);
}
