//! `quickcheck`: arbitrary scripts, in the size of the generator, and their shrinking.

use crate::script::Script;
use crate::sessions::{Phrased, Session};
use crate::settings::Settings;
use quickcheck::{Arbitrary, Gen};

impl Arbitrary for Script {
    fn arbitrary(g: &mut Gen) -> Self {
        Self::random(u64::arbitrary(g), &sized(g))
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        Box::new(self.simpler())
    }
}

impl<O: Phrased + 'static> Arbitrary for Session<O> {
    fn arbitrary(g: &mut Gen) -> Self {
        Self::random(u64::arbitrary(g), &sized(g))
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        Box::new(self.simpler())
    }
}

/// The default settings in the size of the generator.
fn sized(g: &Gen) -> Settings {
    Settings { lines: u16::try_from(g.size()).unwrap_or(u16::MAX), padding: 0, ..Settings::default() }
}
