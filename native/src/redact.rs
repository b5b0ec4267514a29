//! Replaces secrets in bodies. Regular expressions find them.
//!
//! Expressions have RE2's classes (`\d`, `\w`, `\s`, `\b` are ASCII). Every expression takes time linear in the text.

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use crate::long_match::find_long;
use crate::luhn;
use crate::otlp_texts::{Kind, edit_texts};
use crate::refused::Refused;
use crate::wire::Fields;

/// Text that is stored in place of a match.
pub const MASK: &[u8] = b"***";

/// Largest size of one compiled expression, in bytes.
const COMPILED_BYTES: usize = 16 * 1024;
/// Largest memory for the states of one search, in bytes.
const SEARCH_BYTES: usize = 512 * 1024;

/// Longest text, in bytes, that is searched for all expressions together. Longer texts are searched for each
/// separately.
const TOGETHER_BYTES: usize = 8 * 1024;
/// Number of bytes that the search for one expression covers between two checks of the time.
const WINDOW_BYTES: usize = 256 * 1024;
/// Smallest number of bytes that the search sees after the start of a match. Only longer matches may be cut at the end
/// of a window.
const OVERLAP_BYTES: usize = 64 * 1024;

/// Largest size of a redacted text, as a multiple of the text. A mask may be three times as long as a match.
const MAX_GROWTH: usize = 4;
/// Number of bytes that a redacted text may have in addition to MAX_GROWTH times the text, for short texts.
const SHORT_TEXT_BYTES: usize = 64;

/// Returns true when the time for a request is used up. It is called before each bounded piece of work.
pub type IsOver<'a> = &'a dyn Fn() -> bool;

/// The compiled expressions of a tenant.
pub struct Redactor {
    any: RegexSet,
    each: Vec<Regex>,
    cards: bool,
}

impl Redactor {
    /// Compiles the expressions. With `cards`, payment card numbers are found too. Fails with the reason if an
    /// expression is invalid, is too large, or matches the empty text.
    pub fn new(expressions: &[String], cards: bool) -> Result<Self, String> {
        let each = expressions.iter().map(|expression| compile(expression)).collect::<Result<Vec<_>, _>>()?;
        let any = RegexSetBuilder::new(expressions)
            .unicode(false)
            .size_limit(COMPILED_BYTES * expressions.len().max(1))
            .dfa_size_limit(SEARCH_BYTES)
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Redactor { any, each, cards })
    }

    /// Appends the value of an encoded AnyValue with all matches in its texts and numbers replaced, and returns their
    /// number. Searches arrays and maps, but not keys. A number with a match becomes a text. Fails as `redact`
    /// does.
    pub fn write_value(&self, any_value: &[u8], out: &mut Vec<u8>, is_over: IsOver) -> Result<u64, Refused> {
        let (mut replaced, mut failure) = (0, None);
        edit_texts(Kind::AnyValue, Fields::new(any_value), out, &mut |kind, text, out| match kind {
            Kind::AnyValue if failure.is_none() => match self.redact(text, is_over) {
                Ok(Some((redacted, found))) => {
                    replaced += found;
                    out.extend_from_slice(&redacted);
                    true
                }
                Ok(None) => false,
                Err(error) => {
                    failure = Some(error);
                    false
                }
            },
            _ => false,
        })?;
        failure.map_or(Ok(replaced), Err)
    }

    /// Returns the text with all matches replaced, and their number; None if there are none. Fails with TooSlow once
    /// `is_over` returns true, and with TooLong if the text grows because expressions match the masks of others.
    pub fn redact(&self, text: &[u8], is_over: IsOver) -> Result<Option<(Vec<u8>, u64)>, Refused> {
        let (mut redacted, mut found) = (None, 0);
        for index in self.candidates(text, is_over)? {
            let Some(regex) = self.each.get(index) else { continue };
            let searched = redacted.as_deref().unwrap_or(text);
            if let Some((next, count)) = replace(searched, regex, is_over)? {
                if next.len() > text.len() * MAX_GROWTH + SHORT_TEXT_BYTES {
                    return Err(Refused::TooLong);
                }
                found += count;
                redacted = Some(next);
            }
        }
        if self.cards {
            if let Some((next, count)) = luhn::mask_cards(redacted.as_deref().unwrap_or(text)) {
                found += count;
                redacted = Some(next);
            }
        }
        Ok(redacted.map(|text| (text, found)))
    }

    /// Returns the expressions that may match: exactly the matching ones, or all of them if finding out would take
    /// long.
    fn candidates(&self, text: &[u8], is_over: IsOver) -> Result<Vec<usize>, Refused> {
        if is_over() {
            return Err(Refused::TooSlow);
        }
        if text.len() > TOGETHER_BYTES {
            return Ok((0..self.each.len()).collect());
        }
        if !self.any.is_match(text) {
            return Ok(Vec::new());
        }
        Ok(self.any.matches(text).into_iter().collect())
    }
}

fn compile(expression: &str) -> Result<Regex, String> {
    let regex = RegexBuilder::new(expression)
        .unicode(false)
        .size_limit(COMPILED_BYTES)
        .dfa_size_limit(SEARCH_BYTES)
        .build()
        .map_err(|error| error.to_string())?;
    if regex.is_match(b"") {
        return Err("it matches the empty text, so it would match everywhere".to_owned());
    }
    Ok(regex)
}

/// Replaces matches, each widened to whole characters, because a dot and a negated class match single bytes.
fn replace(text: &[u8], regex: &Regex, is_over: IsOver) -> Result<Option<(Vec<u8>, u64)>, Refused> {
    let continues = |at: usize| text.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    let (mut out, mut written, mut found) = (Vec::new(), 0, 0);
    let mut at = 0;
    while let Some((from, to)) = find(text, at, regex, is_over)? {
        at = to.max(from + 1);
        let (mut start, mut end) = (from.max(written), to);
        while continues(start) && start > written {
            start -= 1;
        }
        while continues(end) {
            end += 1;
        }
        if end > start {
            out.extend_from_slice(text.get(written..start).unwrap_or_default());
            out.extend_from_slice(MASK);
            (written, found) = (end, found + 1);
        }
    }
    if found == 0 {
        return Ok(None);
    }
    out.extend_from_slice(text.get(written..).unwrap_or_default());
    Ok(Some((out, found)))
}

/// Returns the first match from `at` on. Searches window by window. In a text of one window, the match is exactly that
/// of the expression. In a longer text, it may differ or be missing if the expression has to read more than
/// OVERLAP_BYTES after the start of the match to find it, unless the match reaches the end of a window.
fn find(text: &[u8], mut at: usize, regex: &Regex, is_over: IsOver) -> Result<Option<(usize, usize)>, Refused> {
    while at <= text.len() {
        if is_over() {
            return Err(Refused::TooSlow);
        }
        let limit = text.len().min(at + WINDOW_BYTES);
        let (window, is_last) = (text.get(..limit).unwrap_or_default(), limit == text.len());
        match regex.find_at(window, at) {
            Some(each) if is_last => return Ok(Some((each.start(), each.end()))),
            // The match may continue after the window, or depend on the window's end.
            Some(each) if each.end() == limit => {
                return find_long(regex.as_str(), text, each.start(), SEARCH_BYTES, is_over);
            }
            Some(each) if each.start() + OVERLAP_BYTES > limit => at = each.start(),
            Some(each) => return Ok(Some((each.start(), each.end()))),
            None if is_last => return Ok(None),
            None => at = limit - OVERLAP_BYTES,
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const NEVER: IsOver<'static> = &|| false;

    fn redactor(expressions: &[&str]) -> Redactor {
        let texts: Vec<String> = expressions.iter().map(|each| (*each).to_owned()).collect();
        Redactor::new(&texts, false).unwrap_or_else(|_| unreachable!("the expressions compile"))
    }

    /// Returns a text longer than three windows, with the secret at each of these places.
    fn long_text(secret: &str, places: &[usize]) -> Vec<u8> {
        let mut text = vec![b'.'; 3 * WINDOW_BYTES + 17];
        for place in places {
            if let Some(there) = text.get_mut(*place..*place + secret.len()) {
                there.copy_from_slice(secret.as_bytes());
            }
        }
        text
    }

    #[test]
    fn matches_over_the_ends_of_windows_are_found_whole() {
        let secret = "key-0123456789 ";
        for back in [0, 1, 8, secret.len() - 1, secret.len()] {
            for end in
                [WINDOW_BYTES - OVERLAP_BYTES, WINDOW_BYTES, 2 * (WINDOW_BYTES - OVERLAP_BYTES), 2 * WINDOW_BYTES]
            {
                let text = long_text(secret, &[end - back]);
                for expression in [r"key-\d+\b", r"\bkey-\d{10}", r"key-\d*(?: )?"] {
                    let (redacted, found) =
                        redactor(&[expression]).redact(&text, NEVER).ok().flatten().unwrap_or_default();
                    let expected = String::from_utf8_lossy(&text).into_owned();
                    let matched = if expression.ends_with('?') { secret } else { secret.trim_end() };
                    assert_eq!(found, 1, "{expression} {end} {back}");
                    assert!(redacted == expected.replacen(matched, "***", 1).into_bytes(), "{expression} {end} {back}");
                }
            }
        }
    }

    #[test]
    fn a_match_of_any_length_is_found_where_it_reaches_over_windows() {
        let mut text = long_text("<", &[7]);
        text.push(b'>');
        let (redacted, found) = redactor(&["<[^>]*"]).redact(&text, NEVER).ok().flatten().unwrap_or_default();
        assert_eq!((redacted.as_slice(), found), (b".......***>".as_slice(), 1));
    }

    #[test]
    fn the_time_is_looked_at_within_one_text() {
        let text = long_text("key-1", &[5]);
        let checks = Cell::new(0);
        let count = || {
            checks.set(checks.get() + 1);
            false
        };
        assert!(redactor(&["key-2", "[01]*1[01]{50}2"]).redact(&text, &count).is_ok());
        let total = checks.get();
        assert!(total >= 2 * text.len() / WINDOW_BYTES, "{total}");
        for allowed in 0..total {
            let left = Cell::new(allowed);
            let over = || left.replace(left.get().saturating_sub(1)) == 0;
            let ended = redactor(&["key-2", "[01]*1[01]{50}2"]).redact(&text, &over);
            assert!(matches!(ended, Err(Refused::TooSlow)), "{allowed} checks of {total}");
        }
    }

    #[test]
    fn the_time_is_looked_at_within_a_match_of_any_length() {
        let text = vec![b'.'; 16 * WINDOW_BYTES];
        let checks = Cell::new(0);
        let count = || {
            checks.set(checks.get() + 1);
            false
        };
        assert!(redactor(&["(?s)[.].*"]).redact(&text, &count).is_ok());
        assert!(checks.get() >= text.len() / WINDOW_BYTES, "{}", checks.get());
    }

    #[test]
    fn expressions_that_match_masks_do_not_grow_a_text_without_bound() {
        let stars = |count: usize| redactor(&vec![r"\*"; count]);
        for text in [b"*".to_vec(), b"*".repeat(10_000), b"a * ".repeat(10_000)] {
            assert!(matches!(stars(20).redact(&text, NEVER), Err(Refused::TooLong)));
        }
        let (redacted, found) = stars(3).redact(b"*", NEVER).ok().flatten().unwrap_or_default();
        assert_eq!((redacted.len(), found), (27, 1 + 3 + 9));
        let text = b"1a".repeat(10_000);
        let (redacted, found) = redactor(&["[0-9]", "[a-z]"]).redact(&text, NEVER).ok().flatten().unwrap_or_default();
        assert_eq!((redacted.len(), found), (3 * text.len(), 20_000));
    }
}
