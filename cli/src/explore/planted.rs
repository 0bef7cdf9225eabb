//! Engines that fail for good on certain streams, to test that this is noticed. With the feature `planted` only.

use asr_checker::{Engine, Oracle, Session};
use std::hint::black_box;
use std::time::Duration;
use std::{process, thread};

/// The oracle, except on streams of three lines that end in a rewind to nothing.
pub(super) enum Planted {
    Panics,
    Aborts,
    OverflowsItsStack,
    Hangs,
}

impl Planted {
    pub(super) fn named(name: &str) -> Option<Self> {
        let all = [Self::Panics, Self::Aborts, Self::OverflowsItsStack, Self::Hangs];
        all.into_iter().find(|planted| planted.name() == name)
    }
}

impl Engine for Planted {
    fn name(&self) -> &'static str {
        match self {
            Self::Panics => "planted:panics",
            Self::Aborts => "planted:aborts",
            Self::OverflowsItsStack => "planted:overflows",
            Self::Hangs => "planted:hangs",
        }
    }

    fn read<'s>(&self, stream: &'s [u8]) -> Result<Box<dyn Session + 's>, String> {
        let mut lines = stream.trim_ascii_end().split(|&byte| byte == b'\n');
        let last = lines.nth(2).filter(|_| lines.next().is_none());
        if last.is_some_and(|last| last.ends_with(br#""to":"zz","reason":"other"}"#)) {
            match self {
                #[expect(clippy::panic, reason = "planted")]
                Self::Panics => panic!("planted"),
                Self::Aborts => process::abort(),
                Self::OverflowsItsStack => drop(black_box(deeper(0))),
                Self::Hangs => loop {
                    thread::sleep(Duration::MAX);
                },
            }
        }
        Oracle.read(stream)
    }
}

fn deeper(depth: u64) -> u64 {
    let here = black_box([depth; 64]);
    if depth == u64::MAX { 0 } else { deeper(depth + 1) + here.iter().sum::<u64>() }
}
