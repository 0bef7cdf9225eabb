//! How much an index can number, all in one place.
//!
//! Rows, symbols and places in tables are numbers of 32 bits, since the size of the index decides its speed. Bytes are
//! not: a line, an id and a stream may have any length. Whatever would exceed a limit is an error before it is
//! numbered, so no number ever wraps around.

use crate::TooLarge;

/// How many rows there may be. The upper half of the numbers, and three, is left to what a predecessor may be besides a
/// node.
pub(crate) const MAX_ROWS: u32 = (1 << 31) - 3;

/// The number of the row behind so many.
pub(crate) fn row(before: usize) -> Result<u32, TooLarge> {
    u32::try_from(before).ok().filter(|&row| row < MAX_ROWS).ok_or(TooLarge::Lines)
}

/// The physical number of a line.
pub(crate) fn line(number: u64) -> Result<u32, TooLarge> {
    u32::try_from(number).map_err(|_| TooLarge::Lines)
}

/// The symbol behind so many. The last number stands for no symbol.
pub(crate) fn symbol(before: usize) -> Result<u32, TooLarge> {
    u32::try_from(before).ok().filter(|&symbol| symbol < u32::MAX).ok_or(TooLarge::Strings)
}

/// Where a table of refs with so many elements ends.
pub(crate) fn refs(elements: usize) -> Result<u32, TooLarge> {
    u32::try_from(elements).map_err(|_| TooLarge::Strings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_below_a_limit_is_numbered_and_the_rest_is_an_error() {
        let max = MAX_ROWS as usize;
        assert_eq!((row(0), row(max - 1)), (Ok(0), Ok(MAX_ROWS - 1)));
        assert_eq!((row(max), row(1 << 32), row(usize::MAX)), (Err(TooLarge::Lines), row(max), row(max)));
        assert_eq!((line(1), line((1 << 32) - 1)), (Ok(1), Ok(u32::MAX)));
        assert_eq!((line(1 << 32), line(u64::MAX)), (Err(TooLarge::Lines), Err(TooLarge::Lines)));
        assert_eq!((symbol(0), symbol((1 << 32) - 2)), (Ok(0), Ok(u32::MAX - 1)));
        assert_eq!(
            (symbol((1 << 32) - 1), symbol(1 << 32)),
            (Err(TooLarge::Strings), Err(TooLarge::Strings))
        );
        assert_eq!((refs((1 << 32) - 1), refs(1 << 32)), (Ok(u32::MAX), Err(TooLarge::Strings)));
    }
}
