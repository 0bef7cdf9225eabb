//! A session that grows and shrinks says at every step what a stream says that is read as a whole.
//!
//! The scripts are those of the differential test, so that marked rewrites, seqs out of order, ids that a later record
//! makes ambiguous and refs that a later record resolves all come up, and go away again when lines are taken back.
//! `ASR_CASES` sets the number of cases; case n is the same in every run.

use asr_core::{Session, Stream};
use asr_generators::{Script, Settings};
use asr_spec::{Head, Query, What};

/// A xorshift generator.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// Everything that can be asked, of the session and of its lines as a stream.
fn check(session: &mut Session, lines: &[&[u8]]) {
    let text = lines.join(&b'\n');
    let fresh = Stream::read(&text).unwrap();
    let shown = || String::from_utf8_lossy(&text).into_owned();
    assert_eq!(session.heads().unwrap(), fresh.heads(), "{}", shown());
    let ids = fresh.ids().map(|id| Head::Ref(id.into()));
    for head in ids.chain([Head::Primary]) {
        for what in [What::Path, What::View] {
            let query = Query { what, head: head.clone() };
            let grown = session.stream().unwrap().answer(&query);
            assert_eq!(grown, fresh.answer(&query), "{query}\n{}", shown());
        }
    }
    assert_eq!(session.validate().unwrap(), fresh.validate(), "{}", shown());
    let grown = session.stream().unwrap();
    assert_eq!(grown.ids().collect::<Vec<_>>(), fresh.ids().collect::<Vec<_>>());
    assert_eq!(
        (grown.records(), grown.nodes(), grown.malformed()),
        (fresh.records(), fresh.nodes(), fresh.malformed())
    );
}

#[test]
fn a_session_is_the_stream_of_its_lines_at_every_step() {
    let cases: u64 = std::env::var("ASR_CASES").map_or(2000, |cases| cases.parse().unwrap());
    for case in 0..cases {
        let mut random = Random(case.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let text = Script::random(case, &Settings::of_case(case)).render();
        let all: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
        let mut session = Session::new();
        let mut lines: Vec<&[u8]> = Vec::new();
        for line in all {
            session.append(line);
            lines.push(line);
            // Not after every step, or what piles up between two questions would not be tested.
            if random.below(3) > 0 {
                check(&mut session, &lines);
            }
            if random.below(4) == 0 {
                for _ in 0..=random.below(4) {
                    assert_eq!(session.pop(), lines.pop().is_some());
                    if random.below(2) == 0 {
                        check(&mut session, &lines);
                    }
                }
            }
        }
        while !lines.is_empty() {
            assert!(session.pop());
            lines.pop();
            check(&mut session, &lines);
        }
        assert!(!session.pop());
    }
}

#[test]
fn a_line_with_line_feeds_is_several_lines() {
    let mut session = Session::new();
    session.append(b"\xEF\xBB\xBF{\"type\":\"message\",\"id\":\"a\"}\n\n{");
    assert_eq!(session.lines(), 3);
    session.append(b"{\"type\":\"message\",\"id\":\"b\"}");
    let path = session.path(Head::Primary).unwrap();
    assert_eq!(path.to_string(), r#"[{"id":"a"},{"gap":"malformed","line":3},{"id":"b"}]"#);
    assert!(session.pop() && session.pop());
    assert_eq!(session.view(Head::Primary).unwrap().to_string(), r#"[{"id":"a"}]"#);
}

/// A line that may bend the graph of those before it.
fn line(number: u64, random: &mut Random) -> String {
    let earlier = random.below(number) + 1;
    // Mostly of a line to come, which waits for it.
    let any = random.below(number + 20) + 1;
    let message =
        |members: &str| format!("{{\"type\":\"message\",\"seq\":{number},\"id\":\"r{number}\"{members}}}");
    match random.below(24) {
        0 => message(&format!(",\"supersedes\":\"r{earlier}\",\"assembly\":{{\"mode\":\"rewrite\"}}")),
        1 => message(&format!(",\"branchesFrom\":{{\"record\":\"r{any}\"}}")),
        2 => message(&format!(",\"supersedes\":\"r{earlier}\"")),
        3 => format!("{{\"type\":\"rewind\",\"seq\":{number},\"id\":\"r{number}\",\"to\":\"r{any}\"}}"),
        4 => format!("{{\"type\":\"gap\",\"seq\":{number},\"id\":\"r{number}\"}}"),
        5 => format!(
            "{{\"type\":\"session_info\",\"seq\":{number},\"id\":\"r{number}\",\"lineage\":{{\"inherits\":{{\"mode\":\"{}\"}}}}}}",
            if random.below(2) == 0 { "referenced" } else { "copied" }
        ),
        6 => format!(
            "{{\"type\":\"compaction\",\"seq\":{number},\"id\":\"r{number}\",\"replaces\":{{\"throughId\":\"r{earlier}\"}}}}"
        ),
        7 => "{".to_owned(),
        8 => String::new(),
        _ => message(""),
    }
}

/// A session marks how far its index and graph have come, and goes back to these marks. So one that is longer than the
/// distance between two, and whose lines bend the graph, meets marks of before and after each bend.
#[test]
fn a_long_session_is_the_stream_of_its_lines_however_far_it_goes_back() {
    for case in 0..12 {
        let mut random = Random((case as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let mut session = Session::new();
        let mut lines: Vec<String> = Vec::new();
        let mut longest = 0;
        for _ in 0..30 {
            for _ in 0..random.below(40) {
                let line = line(lines.len() as u64 + 1, &mut random);
                session.append(line.as_bytes());
                lines.push(line);
            }
            longest = longest.max(lines.len());
            let back = if random.below(12) == 0 { 200 } else { 12 };
            for _ in 0..random.below(back) {
                assert_eq!(session.pop(), lines.pop().is_some());
            }
            let lines: Vec<_> = lines.iter().map(|line| line.as_bytes()).collect();
            check(&mut session, &lines);
        }
        assert!(longest > 128, "{longest}");
    }
}
