//! Sources of choices: a seed, or bytes that somebody else chose.
//!
//! Both are read one byte at a time, and 0 always means the plainest thing, so that bytes that run out mean
//! plain operations and one drawing routine serves both. The generator behind a seed is spelled out here
//! rather than taken from a crate: a seed in a bug report must mean the same script in every release.

/// A source of bytes.
pub(crate) trait Choices {
    /// The next byte.
    fn byte(&mut self) -> u8;

    /// A number below `n`, or 0 if there is none. Slightly uneven, which does not matter here; `n` is at most
    /// 65536.
    fn below(&mut self, n: usize) -> usize {
        let wide = match n {
            0..=256 => u16::from(self.byte()),
            _ => u16::from_le_bytes([self.byte(), self.byte()]),
        };
        usize::from(wide).checked_rem(n).unwrap_or(0)
    }

    /// True in `share` of 256 cases.
    fn share(&mut self, share: u8) -> bool {
        share > 0 && self.byte() > u8::MAX - share
    }
}

/// A seeded generator, *splitmix64*.
pub(crate) struct Seeded {
    state: u64,
    word: u64,
    left: u8,
}

impl Seeded {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed, word: 0, left: 0 }
    }
}

impl Choices for Seeded {
    fn byte(&mut self) -> u8 {
        if self.left == 0 {
            self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut word = self.state;
            word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            self.word = word ^ word >> 31;
            self.left = 8;
        }
        self.left -= 1;
        let [byte, ..] = self.word.to_le_bytes();
        self.word >>= 8;
        byte
    }
}

/// Bytes as they come; zeros after the last one.
pub(crate) struct Given<'a>(pub(crate) &'a [u8]);

impl Choices for Given<'_> {
    fn byte(&mut self) -> u8 {
        match self.0.split_first() {
            Some((byte, rest)) => {
                self.0 = rest;
                *byte
            }
            None => 0,
        }
    }
}
