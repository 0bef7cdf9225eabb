//! Scripts from the bytes of a fuzzer.

use crate::draw::PHRASE;
use crate::script::Script;
use arbitrary::{Arbitrary, Result, Unstructured};

/// Total: any bytes are a script, with the default settings.
impl<'a> Arbitrary<'a> for Script {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let phrases = bytes.arbitrary_len::<[u8; PHRASE]>()?;
        let length = (phrases * PHRASE).min(bytes.len());
        Ok(Self::from_bytes(bytes.bytes(length)?))
    }

    fn arbitrary_take_rest(bytes: Unstructured<'a>) -> Result<Self> {
        Ok(Self::from_bytes(bytes.take_rest()))
    }

    fn size_hint(_depth: usize) -> (usize, Option<usize>) {
        (0, None)
    }
}
