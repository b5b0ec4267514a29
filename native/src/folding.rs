//! Folds attribute names, so that they can be compared with rules.

use std::borrow::Cow;

use unicase::UniCase;

/// Largest number of bytes of a UTF-8 character.
const MAX_CHARACTER_BYTES: usize = 4;

/// Returns a name in the form that is compared with rules: by Unicode's full case folding, like Python's
/// `str.casefold`.
pub fn folded(name: &str) -> String {
    if name.is_ascii() { name.to_ascii_lowercase() } else { UniCase::unicode(name).to_folded_case() }
}

/// Returns the first character of a text that is not empty, and the rest.
pub(crate) fn split_character(text: &[u8]) -> (&[u8], &[u8]) {
    let following = text.iter().skip(1).take(MAX_CHARACTER_BYTES - 1);
    text.split_at(text.len().min(1 + following.take_while(|byte| *byte & 0xc0 == 0x80).count()))
}

/// Returns the beginning of a name, folded: just enough characters that it has more than `size` bytes, or the whole
/// name if it is shorter. If the name begins with more than `size` ASCII characters, returns it unchanged.
pub(crate) fn beginning(name: &[u8], size: usize) -> Cow<'_, [u8]> {
    if name.iter().take(size + 1).all(u8::is_ascii) {
        return Cow::Borrowed(name);
    }
    let (mut out, mut rest) = (Vec::new(), name);
    while out.len() <= size && !rest.is_empty() {
        let (character, after) = split_character(rest);
        out.extend_from_slice(folded(&String::from_utf8_lossy(character)).as_bytes());
        rest = after;
    }
    Cow::Owned(out)
}
