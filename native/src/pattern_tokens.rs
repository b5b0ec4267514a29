//! Splits a text into the tokens that patterns compare, with wildcards in place of numbers.

/// Wildcard. As a whole token it stands for any token, within a token it stands for digits.
pub const WILDCARD: &str = "<*>";

/// Largest number of tokens of a text. If a text is longer, its last token stands for the rest of the text.
pub const MAX_TOKENS: usize = 128;

/// Returns the tokens of a text. The text is split at ASCII white space, and the parts again after `=`, `:`, `,`, `(`,
/// `[` and `|`.
pub fn tokens(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in text.split_ascii_whitespace() {
        for piece in part.split_inclusive(['=', ':', ',', '(', '[', '|']) {
            if found.len() == MAX_TOKENS - 1 {
                found.push(WILDCARD.to_owned());
                return found;
            }
            found.push(masked(piece));
        }
    }
    found
}

/// Returns the token with a wildcard in place of each number. A number is a series of digits, which `.`, `-` or `_` may
/// join. A token that begins with `0x`, or that has at least 8 hexadecimal digits, is one number.
fn masked(token: &str) -> String {
    let core = token.trim_matches(|each: char| !each.is_alphanumeric());
    let is_hexadecimal = core.len() >= 8 && core.chars().all(|each| each.is_ascii_hexdigit() || each == '-');
    if core.contains(|each: char| each.is_ascii_digit()) && (is_hexadecimal || core.starts_with("0x")) {
        return token.replace(core, WILDCARD);
    }
    let mut masked = String::with_capacity(token.len());
    let mut in_number = false;
    let mut joint = String::new();
    for each in token.chars() {
        if each.is_ascii_digit() {
            if !in_number {
                if masked.ends_with('-') {
                    masked.pop();
                }
                masked.push_str(WILDCARD);
            }
            joint.clear();
            in_number = true;
        } else if in_number && joint.is_empty() && matches!(each, '.' | '-' | '_') {
            joint.push(each);
        } else {
            masked.push_str(&joint);
            joint.clear();
            in_number = false;
            masked.push(each);
        }
    }
    masked + &joint
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_wildcards() {
        for (token, expected) in [
            ("blk_-16089", "blk_<*>"),
            ("10.0.0.1", "<*>"),
            ("0x0b85eee0", "<*>"),
            ("6ba7b810-9dad-11d1", "<*>"),
            ("5.", "<*>."),
            ("née", "née"),
            ("deadbeef", "deadbeef"),
            ("(12", "(<*>"),
        ] {
            assert_eq!(masked(token), expected, "{token}");
        }
    }

    #[test]
    fn long_texts_end_in_a_wildcard() {
        let found = tokens(&"word ".repeat(MAX_TOKENS + 9));
        assert_eq!((found.len(), found.last().map(String::as_str)), (MAX_TOKENS, Some(WILDCARD)));
    }
}
