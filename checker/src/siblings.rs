//! Both implementations of the mechanical-sibling rule on one native session.

use asr_spec::native::{Mapping, NativeRecord, Placement};

/// `Ok` with the number of units placed, or the number of the first native record (from 0) that the two place
/// differently, with what the oracle and what the core says.
pub fn compare_siblings(records: &[NativeRecord]) -> Result<u64, (usize, Placement, Placement)> {
    let oracle = asr_oracle::siblings::place(records, &mut ());
    let core = asr_core::siblings::place(records);
    let mut pairs = oracle.into_iter().zip(core).enumerate();
    match pairs.find(|(_, (oracle, core))| oracle != core) {
        Some((at, (oracle, core))) => Err((at, oracle, core)),
        None => Ok(records.iter().filter(|record| matches!(record.mapping, Mapping::Unit(_))).count() as u64),
    }
}
