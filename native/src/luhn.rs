//! Finds payment card numbers: 13 to 19 digits, grouped or not, with a network's prefix and Luhn's check digit.
//!
//! Source: ISO/IEC 7812-1, annex B.

use crate::redact::MASK;

const FEWEST: usize = 13;
const MAX_DIGITS: usize = 19;

/// Returns the text with card numbers replaced, and their number; None if it has none. A number may be part of a longer
/// sequence of groups, but it never begins or ends inside a group.
///
/// Takes linear time, because at most 39 further digits are read after each group. Only the result takes memory.
pub fn mask_cards(text: &[u8]) -> Option<(Vec<u8>, u64)> {
    let (mut out, mut written, mut found, mut at) = (Vec::new(), 0, 0, 0);
    while let Some(start) =
        text.get(at..).and_then(|rest| rest.iter().position(u8::is_ascii_digit)).map(|skip| at + skip)
    {
        let group_end = start + digits_from(text, start, usize::MAX);
        at = match card_from(text, start, group_end) {
            Some(end) => {
                out.extend_from_slice(text.get(written..start).unwrap_or_default());
                out.extend_from_slice(MASK);
                (written, found) = (end, found + 1);
                end
            }
            None => group_end,
        };
    }
    if found == 0 {
        return None;
    }
    out.extend_from_slice(text.get(written..).unwrap_or_default());
    Some((out, found))
}

/// Returns the end of the longest card number that begins with the group from `start` to `group_end`. Groups have one
/// space or hyphen between them.
fn card_from(text: &[u8], start: usize, group_end: usize) -> Option<usize> {
    let (mut digits, mut end, mut longest) = (group_end - start, group_end, None);
    while digits <= MAX_DIGITS {
        if digits >= FEWEST && is_card(text.get(start..end).unwrap_or_default(), digits) {
            longest = Some(end);
        }
        let next = digits_from(text, end + 1, MAX_DIGITS + 1);
        if next == 0 || !matches!(text.get(end), Some(b' ' | b'-')) {
            break;
        }
        digits += next;
        end += 1 + next;
    }
    longest
}

/// Returns how many digits follow one another from an index, at most `most`.
fn digits_from(text: &[u8], index: usize, most: usize) -> usize {
    text.get(index..).unwrap_or_default().iter().take(most).take_while(|byte| byte.is_ascii_digit()).count()
}

fn is_card(number: &[u8], digits: usize) -> bool {
    let values = || number.iter().filter(|byte| byte.is_ascii_digit()).map(|byte| u32::from(byte - b'0'));
    let prefix = values().take(4).fold(0, |prefix, digit| prefix * 10 + digit);
    if !(matches!(prefix, 3000..=6999) || (matches!(prefix, 2221..=2720) && digits == 16)) {
        return false;
    }
    let sum: u32 = values()
        .enumerate()
        .map(|(place, digit)| match (digits - place) % 2 {
            0 if digit > 4 => digit * 2 - 9,
            0 => digit * 2,
            _ => digit,
        })
        .sum();
    sum % 10 == 0
}
