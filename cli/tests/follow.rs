//! `--follow` as a real process beside a real file. What it says is waited for; nothing waits for a time.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use snapbox::cmd::cargo_bin;
use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Longer than anything takes on a busy machine. Only a failing test waits for so long.
const PATIENCE: Duration = Duration::from_secs(120);

/// A process whose lines are waited for.
struct Follower {
    child: Child,
    out: Receiver<String>,
    err: Receiver<String>,
}

fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (to, lines) = channel();
    std::thread::spawn(move || {
        BufReader::new(stream).lines().map_while(Result::ok).try_for_each(|line| to.send(line))
    });
    lines
}

impl Follower {
    fn start(args: &[&str], file: &Path) -> Self {
        let mut command = Command::new(cargo_bin!("asr"));
        command.args(args).arg("--follow").arg(file);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (out, err) = (lines(child.stdout.take().unwrap()), lines(child.stderr.take().unwrap()));
        Self { child, out, err }
    }

    #[track_caller]
    fn shows(&self, expected: &str) {
        assert_eq!(self.out.recv_timeout(PATIENCE).as_deref(), Ok(expected));
    }

    #[track_caller]
    fn says(&self, expected: &str) {
        let said = self.err.recv_timeout(PATIENCE).unwrap();
        assert!(said.contains(expected), "expected {expected:?}, found {said:?}");
    }

    #[track_caller]
    fn interrupt(mut self) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        assert_eq!(end(&mut self.child).code(), Some(0));
        assert_eq!((self.out.recv().ok(), self.err.recv().ok()), (None, None));
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

#[track_caller]
fn end(child: &mut Child) -> ExitStatus {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        assert!(start.elapsed() < PATIENCE, "it does not end");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn append(file: &Path, text: &str) {
    OpenOptions::new().append(true).open(file).unwrap().write_all(text.as_bytes()).unwrap();
}

fn message(number: u32) -> String {
    format!("{{\"type\":\"message\",\"seq\":{number},\"id\":\"r{number}\",\"role\":\"user\"}}\n")
}

#[test]
fn a_view_follows_a_file_that_grows_shrinks_and_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (file, other) = (folder.path().join("session.jsonl"), folder.path().join("other"));
    fs::write(&file, message(1)).unwrap();
    let follower = Follower::start(&["view", "--json"], &file);
    follower.shows(r#"[{"id":"r1"}]"#);

    // Half a line is no line, and what changes nothing in the view shows nothing.
    let (half, rest) = (&message(2)[..20], &message(2)[20..]);
    append(&file, "{\"type\":\"usage\",\"seq\":1,\"id\":\"u\"}\n");
    append(&file, half);
    append(&file, rest);
    follower.shows(r#"[{"id":"r1"},{"id":"r2"}]"#);
    let compaction =
        r#"{"type":"compaction","seq":3,"id":"r3","replaces":{"throughId":"r1"},"summary":[{}]}"#;
    append(&file, &format!("{compaction}\n"));
    follower.shows(r#"[{"summary":"r3"},{"id":"r2"}]"#);

    OpenOptions::new().write(true).open(&file).unwrap().set_len(0).unwrap();
    follower.says("it was cut short: reading it from its beginning");
    follower.shows("[]");
    append(&file, &message(4));
    follower.shows(r#"[{"id":"r4"}]"#);

    // The same view, but of another file.
    fs::write(&other, message(4)).unwrap();
    fs::rename(&other, &file).unwrap();
    follower.says("another file took its place");
    follower.shows(r#"[{"id":"r4"}]"#);
    append(&file, &message(5));
    follower.shows(r#"[{"id":"r4"},{"id":"r5"}]"#);

    fs::remove_file(&file).unwrap();
    follower.says("it is gone: waiting for it");
    fs::write(&other, message(6)).unwrap();
    fs::rename(&other, &file).unwrap();
    follower.says("it is there again");
    follower.shows(r#"[{"id":"r6"}]"#);
    follower.interrupt();
}

#[test]
fn a_path_follows_a_file_that_comes_later_and_is_shown_for_people() {
    let folder = tempfile::tempdir().unwrap();
    let (file, other) = (folder.path().join("session.jsonl"), folder.path().join("other"));
    let follower = Follower::start(&["path", "--head", "r1"], &file);
    follower.says("there is no such file yet: waiting for it");
    fs::write(&other, message(1) + &message(2)).unwrap();
    fs::rename(&other, &file).unwrap();
    follower.shows(&format!("{}: active path from r1, 1 entry", file.display()));
    follower.shows("  r1  user");
    append(
        &file,
        "{\"type\":\"message\",\"seq\":3,\"id\":\"r3\",\"supersedes\":\"r1\",\"role\":\"assistant\"}\n",
    );
    follower.shows("");
    follower.shows(&format!("{}: active path from r1, 1 entry", file.display()));
    follower.shows("  r1 as r3  assistant");
    follower.interrupt();
}

/// The conversion is repeated on the whole file: what comes later may say more about what came before.
#[test]
fn a_native_session_is_followed_too() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("session.jsonl");
    let session = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/sessions/pi/linear-v1.jsonl");
    let session = fs::read_to_string(session).unwrap();
    let (begin, end) = session.split_at(session.find('\n').unwrap() + 1);
    fs::write(&file, "").unwrap();
    let follower = Follower::start(&["view", "--json", "--from", "pi"], &file);
    follower.says("error: ");
    append(&file, begin);
    follower.shows("[]");
    append(&file, end);
    let whole =
        Command::new(cargo_bin!("asr")).args(["view", "--json", "--from", "pi"]).arg(&file).output().unwrap();
    follower.shows(String::from_utf8(whole.stdout).unwrap().trim_end());
    follower.interrupt();
}

#[test]
fn it_ends_when_nobody_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("session.jsonl");
    fs::write(&file, message(1)).unwrap();
    let mut command = Command::new(cargo_bin!("asr"));
    let command = command.args(["view", "--json", "--follow"]).arg(&file);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "[{\"id\":\"r1\"}]\n");
    // The reader is gone, and the file as it was.
    assert_eq!(end(&mut child).code(), Some(0));
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(said, "");
}

#[test]
fn what_cannot_be_followed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (args, why) in [
        (vec!["-"], "expected one file, found standard input, which cannot be read again"),
        (vec!["a", "b"], "found several"),
        (vec![folder.path().to_str().unwrap()], "found a directory"),
    ] {
        let run = Command::new(cargo_bin!("asr")).args(["view", "--follow"]).args(args).output().unwrap();
        assert_eq!(run.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&run.stderr).contains(why), "{run:?}");
    }
}
