//! Empty: the tests across the crates stand in `tests/tests`, one file per claim about the whole.
