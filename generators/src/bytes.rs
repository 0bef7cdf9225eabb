//! Scripts from the bytes of a fuzzer.
//!
//! Total: any bytes are a script, with the default settings.

use crate::draw::PHRASE;
use crate::script::Script;
use crate::sessions::{self, Phrased, Session};
use arbitrary::{Arbitrary, Result, Unstructured};

impl<'a> Arbitrary<'a> for Script {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        Ok(Self::from_bytes(phrases::<PHRASE>(bytes)?))
    }

    fn arbitrary_take_rest(bytes: Unstructured<'a>) -> Result<Self> {
        Ok(Self::from_bytes(bytes.take_rest()))
    }
}

impl<'a, O: Phrased> Arbitrary<'a> for Session<O> {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        Ok(Self::from_bytes(phrases::<{ sessions::PHRASE }>(bytes)?))
    }

    fn arbitrary_take_rest(bytes: Unstructured<'a>) -> Result<Self> {
        Ok(Self::from_bytes(bytes.take_rest()))
    }
}

/// Bytes of some phrases of a given length.
fn phrases<'a, const LENGTH: usize>(bytes: &mut Unstructured<'a>) -> Result<&'a [u8]> {
    let count = bytes.arbitrary_len::<[u8; LENGTH]>()?;
    bytes.bytes((count * LENGTH).min(bytes.len()))
}
