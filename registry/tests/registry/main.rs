//! The converters from outside: one test for each row of the mapping tables, real sessions, and hostile
//! bytes.
//!
//! All of it is one binary, so that what the tests share is compiled once and nothing of it is unused.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper of a test fails like the test: by panicking"
)]

mod claude_code;
mod pi;
mod robustness;
mod samples;
mod support;
