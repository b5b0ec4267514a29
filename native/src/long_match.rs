//! Finds a match of any length, and checks the time on the way.
//!
//! A search of `regex` cannot be interrupted. Here, lazy DFAs of the same expression read one byte after the other: one
//! of them finds the end of the leftmost match, and the other one reads backwards from there to its start.

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::hybrid::regex::Regex;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};

use crate::redact::IsOver;
use crate::refused::Refused;

/// Number of bytes that are read between two checks of the time.
const STEP_BYTES: usize = 4 * 1024;

/// Returns the first match of the expression in the text from `at` on. The states of each DFA have `cache_bytes` at
/// most. Fails with TooSlow once `is_over` returns true, and with NoDfa if the expression has none.
pub fn find_long(
    expression: &str,
    text: &[u8],
    at: usize,
    cache_bytes: usize,
    is_over: IsOver,
) -> Result<Option<(usize, usize)>, Refused> {
    let config = DFA::config().cache_capacity(cache_bytes).skip_cache_capacity_check(true);
    let regex = Regex::builder()
        .syntax(syntax::Config::new().unicode(false).utf8(false))
        .thompson(regex_automata::nfa::thompson::Config::new().utf8(false))
        .dfa(config)
        .build(expression)
        .map_err(|_| Refused::NoDfa)?;
    let (mut forward, mut reverse) = (regex.forward().create_cache(), regex.reverse().create_cache());
    let Some(end) = end_of(regex.forward(), &mut forward, text, at, is_over)? else { return Ok(None) };
    let start = start_of(regex.reverse(), &mut reverse, text, at..end, is_over)?;
    Ok(Some((start, end)))
}

/// Returns the end of the leftmost match from `at` on.
fn end_of(dfa: &DFA, cache: &mut Cache, text: &[u8], at: usize, is_over: IsOver) -> Result<Option<usize>, Refused> {
    let input = Input::new(text).range(at..);
    let mut state = dfa.start_state_forward(cache, &input).map_err(|_| Refused::NoDfa)?;
    let mut end = None;
    for (byte, place) in text.get(at..).unwrap_or_default().iter().zip(at..) {
        if (place - at) % STEP_BYTES == 0 && is_over() {
            return Err(Refused::TooSlow);
        }
        state = dfa.next_state(cache, state, *byte).map_err(|_| Refused::NoDfa)?;
        if state.is_match() {
            // A DFA shows a match one byte later.
            end = Some(place);
        } else if state.is_dead() {
            return Ok(end);
        }
    }
    state = dfa.next_eoi_state(cache, state).map_err(|_| Refused::NoDfa)?;
    Ok(if state.is_match() { Some(text.len()) } else { end })
}

/// Returns the start of the longest match that lies in `within` and ends where it ends.
fn start_of(
    dfa: &DFA,
    cache: &mut Cache,
    text: &[u8],
    within: std::ops::Range<usize>,
    is_over: IsOver,
) -> Result<usize, Refused> {
    let input = Input::new(text).range(within.clone()).anchored(Anchored::Yes);
    let mut state = dfa.start_state_reverse(cache, &input).map_err(|_| Refused::NoDfa)?;
    let mut start = within.end;
    for (byte, place) in text.get(within.clone()).unwrap_or_default().iter().zip(within.clone()).rev() {
        if (within.end - 1 - place) % STEP_BYTES == 0 && is_over() {
            return Err(Refused::TooSlow);
        }
        state = dfa.next_state(cache, state, *byte).map_err(|_| Refused::NoDfa)?;
        if state.is_match() {
            start = place + 1;
        } else if state.is_dead() {
            return Ok(start);
        }
    }
    let before = within.start.checked_sub(1).and_then(|place| text.get(place));
    state = match before {
        Some(byte) => dfa.next_state(cache, state, *byte),
        None => dfa.next_eoi_state(cache, state),
    }
    .map_err(|_| Refused::NoDfa)?;
    Ok(if state.is_match() { within.start } else { start })
}

#[cfg(test)]
mod tests {
    use regex::bytes::RegexBuilder;

    use super::*;

    const CACHE_BYTES: usize = 512 * 1024;

    #[test]
    fn matches_are_those_of_regex() {
        let texts: [&[u8]; 7] =
            [b"", b"a", b"key-12 key-345", b"<a><b>\n<c", b"aab aaab\xffab", b"x1 y22\nz333", b"aaaaaaaab"];
        let expressions = [
            r"key-\d+",
            "<[^>]*>?",
            "a+?b",
            "a*b|a",
            r"\b\w+\b",
            "(?s).+",
            ".+$",
            r"(?m)^\w+$",
            "a{2}|a{3}",
            "a+$|b+",
            r"\B.",
            "^a+",
        ];
        for expression in expressions {
            let Ok(regex) = RegexBuilder::new(expression).unicode(false).build() else { unreachable!() };
            for text in texts {
                for at in 0..=text.len() {
                    let expected = regex.find_at(text, at).map(|each| (each.start(), each.end()));
                    let found = find_long(expression, text, at, CACHE_BYTES, &|| false).ok().flatten();
                    assert_eq!(found, expected, "{expression} {at} {text:?}");
                }
            }
        }
    }
}
