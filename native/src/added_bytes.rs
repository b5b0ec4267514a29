//! Says by how many bytes the text of a value, as rows have it, is longer than the value in protobuf.

use crate::wire::Wire;

/// Bytes of `null`. An empty value inside an array or a map has no bytes in protobuf.
pub const NULL_BYTES: u64 = 4;

/// Bytes by which `false` is longer than a boolean.
const FALSE_BYTES: u64 = 3;

/// Bytes by which the longest text of a double, such as `-1.2345678901234567e-300`, is longer than its field.
const DOUBLE_BYTES: u64 = 15;

/// Returns the number of bytes by which the text of a value is longer at most; 0 if it is shorter. `field` is a field of
/// an AnyValue that is neither a text nor an array nor a map.
#[inline]
pub fn added_bytes(field: (u32, Wire<'_>)) -> u64 {
    match field {
        (2, Wire::Varint(_)) => FALSE_BYTES,
        (3, Wire::Varint(value)) => added_by_digits(value),
        (4, Wire::Fixed64(_)) => DOUBLE_BYTES,
        (7, Wire::Bytes(value)) => {
            // Base64 has four characters for every three bytes or fewer.
            let size = value.len() as u64;
            size.div_ceil(3) * 4 - size
        }
        _ => 0,
    }
}

fn added_by_digits(varint: u64) -> u64 {
    let number = varint as i64;
    let digits = number.unsigned_abs().checked_ilog10().unwrap_or(0) + 1 + u32::from(number < 0);
    let tag_and_varint = 1 + (u64::BITS - varint.leading_zeros()).div_ceil(7).max(1);
    u64::from(digits.saturating_sub(tag_and_varint))
}

#[cfg(test)]
mod tests {
    use super::added_bytes;
    use crate::any_value::write_text;
    use crate::pieces::Payload;
    use crate::texts::{write_text as write_bytes, write_varint};
    use crate::wire::Fields;

    /// Returns the bytes that the text of a value has more than the value, and those that are counted. None if the value
    /// is malformed.
    fn added(any_value: &[u8]) -> Option<(u64, u64)> {
        let mut text = Vec::new();
        write_text(Payload::Whole(any_value), &mut text).ok()?;
        let longer = text.len().saturating_sub(any_value.len()) as u64;
        Some((longer, added_bytes(Fields::new(any_value).next_field().ok()??)))
    }

    fn is_covered(any_value: &[u8]) -> bool {
        added(any_value).is_some_and(|(longer, counted)| longer <= counted)
    }

    fn number(field: u8, value: u64) -> Vec<u8> {
        let mut out = vec![field << 3];
        write_varint(value, &mut out);
        out
    }

    #[test]
    fn the_digits_of_integers_count_exactly() {
        let powers = (0..19).map(|exponent| 10_i64.pow(exponent));
        let near = powers.flat_map(|power| [power - 1, power, -power, 1 - power]);
        for value in near.chain([i64::MIN, i64::MAX, -1]) {
            let found = added(&number(3, value as u64));
            assert!(found.is_some_and(|(longer, counted)| longer == counted), "{value}: {found:?}");
        }
    }

    #[test]
    fn other_values_count_as_the_longest_of_their_type() {
        assert_eq!(added(&number(2, 0)), Some((3, 3)));
        assert_eq!(added(&number(2, 1)), Some((2, 3)));
        let longest = [-1.234_567_890_123_456_7e-300, -0.000_123_456_789_012_345_67];
        for value in longest.into_iter().chain([-f64::MAX, -f64::MIN_POSITIVE, f64::NEG_INFINITY, 0.5]) {
            assert!(is_covered(&[&[0x21], value.to_le_bytes().as_slice()].concat()), "{value:e}");
        }
        for size in 0..20 {
            let mut value = vec![0x3a];
            write_bytes(&vec![0; size], &mut value);
            assert!(is_covered(&value), "{size} bytes");
        }
    }
}
