//! Lines that lie further out than any test could put them.

use super::*;

#[test]
fn lines_beyond_4_gib_are_where_they_are() {
    let gib = 1_usize << 30;
    // Where lines begin, and their numbers: blank lines between, and a line of 9 GiB.
    let lines = [(0, 1), (7, 3), (4 * gib - 1, 4), (4 * gib, 5), (5 * gib, 9), (14 * gib + 3, 10)];
    let mut places = Places::default();
    for (start, number) in lines {
        places.push(Span { stream: &[], number, start, is_record: true }).unwrap();
    }
    let found = |places: &Places| -> Vec<_> {
        (0..places.starts.len() as Row).map(|row| (places.start(row), places.line(row))).collect()
    };
    assert_eq!(found(&places), lines);
    for length in (0..lines.len()).rev() {
        places.truncate(length);
        assert_eq!(found(&places), lines[..length]);
    }
    places.push(Span { stream: &[], number: 2, start: 8 * gib, is_record: true }).unwrap();
    assert_eq!(found(&places), [(8 * gib, 2)]);
    let beyond = Span { stream: &[], number: 1 << 32, start: 9 * gib, is_record: true };
    assert_eq!(places.push(beyond), Err(TooLarge::Lines));
}
