//! Numbers distinct tokens, so that templates are compared and stored as numbers.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

/// Distinct tokens, numbered from 0. They are one text, because to free millions of small texts takes a second.
#[derive(Default)]
pub struct Tokens {
    text: String,
    ends: Vec<usize>,
}

impl Tokens {
    /// Returns the token with this number. Returns an empty text if there is none.
    pub fn get(&self, number: u32) -> &str {
        let number = number as usize;
        let start = number.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or_default();
        self.ends.get(number).and_then(|end| self.text.get(start..*end)).unwrap_or_default()
    }
}

/// Gives each distinct token a number.
#[derive(Default)]
pub struct TokenNumbers<S = RandomState> {
    tokens: Tokens,
    /// Numbers by the hashes of their tokens. If several tokens have the same hash, each further one has the next free
    /// key.
    numbers: HashMap<u64, u32>,
    hashes: S,
}

impl<S: BuildHasher> TokenNumbers<S> {
    /// Returns the number of a token. A token that has none gets the next number.
    pub fn number(&mut self, token: &str) -> u32 {
        let mut key = self.hashes.hash_one(token);
        while let Some(number) = self.numbers.get(&key) {
            if self.tokens.get(*number) == token {
                return *number;
            }
            key = key.wrapping_add(1);
        }
        let number = self.tokens.ends.len() as u32;
        self.tokens.text.push_str(token);
        self.tokens.ends.push(self.tokens.text.len());
        self.numbers.insert(key, number);
        number
    }

    /// Returns the numbered tokens.
    pub fn into_tokens(self) -> Tokens {
        self.tokens
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{BuildHasherDefault, Hasher};

    use super::*;

    /// Gives all texts the same hash.
    #[derive(Default)]
    struct Same;

    impl Hasher for Same {
        fn finish(&self) -> u64 {
            u64::MAX
        }

        fn write(&mut self, _bytes: &[u8]) {}
    }

    fn check(mut numbers: TokenNumbers<impl BuildHasher>) {
        let texts = ["<*>", "", "née", "a", "", "née", "b", "<*>"];
        assert_eq!(texts.map(|text| numbers.number(text)), [0, 1, 2, 3, 1, 2, 4, 0]);
        let tokens = numbers.into_tokens();
        assert_eq!([0, 1, 2, 3, 4, 5].map(|number| tokens.get(number)), ["<*>", "", "née", "a", "b", ""]);
    }

    #[test]
    fn equal_tokens_have_one_number_and_different_ones_do_not_share_it() {
        check(TokenNumbers::<RandomState>::default());
    }

    #[test]
    fn tokens_of_the_same_hash_have_different_numbers() {
        check(TokenNumbers::<BuildHasherDefault<Same>>::default());
    }
}
