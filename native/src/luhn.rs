//! Finds payment card numbers: 13 to 19 digits, grouped or not, with a network's prefix and Luhn's check digit.
//!
//! Source: ISO/IEC 7812-1, annex B.

use crate::redact::MASK;

const FEWEST: usize = 13;
const MAX_DIGITS: usize = 19;

/// Returns the text with card numbers replaced, and their number; None if it has none. A number may be part of a longer
/// sequence of groups, but it never begins or ends inside a group.
pub fn mask_cards(text: &[u8]) -> Option<(Vec<u8>, u64)> {
    let (mut out, mut written, mut found, mut at) = (Vec::new(), 0, 0, 0);
    let mut groups = Vec::new();
    while let Some(start) =
        text.get(at..).and_then(|rest| rest.iter().position(u8::is_ascii_digit)).map(|skip| at + skip)
    {
        at = read_groups(text, start, &mut groups);
        for (start, end) in cards(text, &groups) {
            out.extend_from_slice(text.get(written..start).unwrap_or_default());
            out.extend_from_slice(MASK);
            (written, found) = (end, found + 1);
        }
    }
    if found == 0 {
        return None;
    }
    out.extend_from_slice(text.get(written..).unwrap_or_default());
    Some((out, found))
}

/// Reads groups of digits with one space or hyphen between them, and returns the index after the last one.
fn read_groups(text: &[u8], start: usize, groups: &mut Vec<(usize, usize)>) -> usize {
    groups.clear();
    let digits_from = |from: usize| {
        let digits = text.get(from..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count();
        from + digits
    };
    let mut begin = start;
    loop {
        let end = digits_from(begin);
        groups.push((begin, end));
        let separated = matches!(text.get(end), Some(b' ' | b'-')) && text.get(end + 1).is_some_and(u8::is_ascii_digit);
        if !separated {
            return end;
        }
        begin = end + 1;
    }
}

/// Returns start and end of each card number. Takes linear time, because at most 19 groups are tried from each start.
fn cards(text: &[u8], groups: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let (mut found, mut first) = (Vec::new(), 0);
    while first < groups.len() {
        let (mut digits, mut longest) = (0, None);
        for (index, (begin, end)) in groups.iter().enumerate().skip(first) {
            digits += end - begin;
            if digits > MAX_DIGITS {
                break;
            }
            let start = groups.get(first).map_or(*begin, |group| group.0);
            if digits >= FEWEST && is_card(text.get(start..*end).unwrap_or_default(), digits) {
                longest = Some((index, (start, *end)));
            }
        }
        match longest {
            Some((index, place)) => {
                found.push(place);
                first = index + 1;
            }
            None => first += 1,
        }
    }
    found
}

fn is_card(number: &[u8], digits: usize) -> bool {
    let values = || number.iter().filter(|byte| byte.is_ascii_digit()).map(|byte| u32::from(byte - b'0'));
    let prefix = values().take(4).fold(0, |prefix, digit| prefix * 10 + digit);
    let network = matches!(prefix, 3000..=6999) || (matches!(prefix, 2221..=2720) && digits == 16);
    let sum: u32 = values()
        .enumerate()
        .map(|(place, digit)| match (digits - place) % 2 {
            0 if digit > 4 => digit * 2 - 9,
            0 => digit * 2,
            _ => digit,
        })
        .sum();
    network && sum % 10 == 0
}
