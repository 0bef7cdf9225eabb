//! A name may be as long as a line, and an answer may repeat it for each of many entries: it is held once. One test,
//! since the allocator counts for all.

use asr_core::Stream;
use asr_spec::{Head, Outcome, Query, What};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const TIMES: usize = 1000;

/// The result, and the bytes allocated for it at most.
fn held<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let result = work();
    (result, ALLOCATOR.peak_usage() - before)
}

#[test]
fn an_answer_holds_a_name_once() {
    let id = "z".repeat(1 << 20);
    let retains = format!(r#"{{"ref":"x"}}{}"#, r#",{"ref":"x","capture":5}"#.repeat(TIMES));
    let text = format!(
        concat!(
            r#"{{"type":"message","seq":1,"id":"m{id}","messageId":"m1","role":"user","content":[]}}"#,
            "\n",
            r#"{{"type":"message","seq":2,"id":"x","supersedes":"m{id}","messageId":"m1","role":"user","content":[]}}"#,
            "\n",
            r#"{{"type":"compaction","seq":3,"id":"c{id}","compactionId":"c3","kind":"summary","#,
            r#""replaces":{{"throughId":"x"}},"retains":[{retains}],"summary":[]}}"#,
        ),
        id = id,
        retains = retains,
    );
    let stream = Stream::read(text.as_bytes()).unwrap();

    let (outcome, bytes) = held(|| stream.answer(&Query { what: What::View, head: Head::Primary }));
    let Outcome::Entries(view) = outcome else { panic!("{outcome:?}") };
    assert!(view.len() > TIMES && bytes < 4 * text.len(), "{} entries in {bytes} bytes", view.len());

    let (report, bytes) = held(|| stream.validate());
    let violations = report.violations.len();
    assert!(violations >= TIMES && bytes < 4 * text.len(), "{violations} violations in {bytes} bytes");
}
