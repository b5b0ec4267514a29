//! Secrets in bodies, found by regular expressions and replaced.
//!
//! Expressions have RE2's classes (`\d`, `\w`, `\s`, `\b` are ASCII) and take time linear in the text, whatever they are.

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use crate::luhn;
use crate::mend::{Kind, edit_texts};
use crate::wire::{Fields, Malformed};

/// What is stored in place of a match.
pub const MASK: &[u8] = b"***";

/// Bytes that one expression may take when it is compiled.
const COMPILED_BYTES: usize = 16 * 1024;
/// Bytes that the states of one search may take.
const SEARCH_BYTES: usize = 512 * 1024;

/// Expressions of a tenant.
pub struct Redactor {
    any: RegexSet,
    each: Vec<Regex>,
    cards: bool,
}

impl Redactor {
    /// Also finds payment card numbers where `cards` says so. Fails with the reason where an expression is not one,
    /// is too large, or matches the empty text.
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

    /// Appends the value of an encoded AnyValue with all matches in its texts replaced, and returns how many there were.
    /// Texts in arrays and maps are looked at, keys are not.
    pub fn write_value(&self, any_value: &[u8], out: &mut Vec<u8>) -> Result<u64, Malformed> {
        let mut replaced = 0;
        edit_texts(Kind::AnyValue, Fields::new(any_value), out, &mut |kind, text, out| match kind {
            Kind::AnyValue => match self.redact(text) {
                Some((redacted, found)) => {
                    replaced += found;
                    out.extend_from_slice(&redacted);
                    true
                }
                None => false,
            },
            _ => false,
        })?;
        Ok(replaced)
    }

    /// The text with all matches replaced, and how many there were; None where there was none.
    pub fn redact(&self, text: &[u8]) -> Option<(Vec<u8>, u64)> {
        let (mut redacted, mut found) = (None, 0);
        if self.any.is_match(text) {
            for regex in self.any.matches(text).into_iter().filter_map(|index| self.each.get(index)) {
                let searched = redacted.as_deref().unwrap_or(text);
                if let Some((next, count)) = replace(searched, regex) {
                    found += count;
                    redacted = Some(next);
                }
            }
        }
        if self.cards {
            if let Some((next, count)) = luhn::mask_cards(redacted.as_deref().unwrap_or(text)) {
                found += count;
                redacted = Some(next);
            }
        }
        redacted.map(|text| (text, found))
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

/// Replaces matches, each widened to whole characters: a dot and a negated class match bytes.
fn replace(text: &[u8], regex: &Regex) -> Option<(Vec<u8>, u64)> {
    let continues = |at: usize| text.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    let (mut out, mut written, mut found) = (Vec::new(), 0, 0);
    for each in regex.find_iter(text) {
        let (mut start, mut end) = (each.start().max(written), each.end());
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
        return None;
    }
    out.extend_from_slice(text.get(written..).unwrap_or_default());
    Some((out, found))
}
