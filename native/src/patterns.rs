//! Groups texts into patterns: templates with wildcards, by the Drain algorithm (He, Zhu, Zheng, Lyu: ICWS 2017).
//!
//! The patterns are a pure function of the texts and their order. Each text belongs to exactly one pattern, and each
//! token of its template is a wildcard or equals the text's token. docs/decisions/0046-patterns-are-grouped-natively.md
//! has the reasons and the numbers.

use std::collections::HashMap;

use crate::pattern_tokens::{WILDCARD, tokens};
use crate::token_numbers::{TokenNumbers, Tokens};

/// Smallest share of equal tokens, as a fraction, at which a text joins a pattern.
const SIMILAR: (usize, usize) = (1, 2);

/// Largest number of patterns that are compared with one text, so that the time stays bounded if all texts differ.
const MAX_COMPARED: usize = 100;

/// Patterns of texts.
pub struct Patterns {
    /// Numbers of the tokens of each pattern's template.
    templates: Vec<Vec<u32>>,
    tokens: Tokens,
}

impl Patterns {
    /// Returns the number of patterns.
    pub fn count(&self) -> usize {
        self.templates.len()
    }

    /// Returns the tokens of the template with this index; None if there is none. A token `<*>` stands for any token;
    /// `<*>` within a token stands for digits.
    pub fn template(&self, index: usize) -> Option<Vec<&str>> {
        Some(self.templates.get(index)?.iter().map(|number| self.tokens.get(*number)).collect())
    }
}

/// Groups the texts. Returns the patterns, and for each text the index of its template.
pub fn group<'a>(texts: impl IntoIterator<Item = &'a str>) -> (Patterns, Vec<u32>) {
    let mut numbers: TokenNumbers = TokenNumbers::default();
    let any = numbers.number(WILDCARD);
    let mut templates: Vec<Vec<u32>> = Vec::new();
    // A text is compared only with patterns that have the same number of tokens and the same first token.
    let mut leaves: HashMap<(usize, u32), Vec<u32>> = HashMap::new();
    let mut of_texts = Vec::new();
    for text in texts {
        let text: Vec<u32> = tokens(text).iter().map(|token| numbers.number(token)).collect();
        let leaf = leaves.entry((text.len(), text.first().copied().unwrap_or(any))).or_default();
        let best = leaf.iter().filter_map(|number| Some((equal(templates.get(*number as usize)?, &text), *number)));
        // If several patterns are equally similar, the text joins the first one.
        let best = best.max_by_key(|(equal, number)| (*equal, std::cmp::Reverse(*number)));
        let joined =
            best.filter(|(equal, _)| equal * SIMILAR.1 >= text.len() * SIMILAR.0 || leaf.len() >= MAX_COMPARED);
        let number = match joined {
            Some((_, number)) => {
                if let Some(template) = templates.get_mut(number as usize) {
                    widen(template, &text, any);
                }
                number
            }
            None => {
                templates.push(text);
                let number = templates.len() as u32 - 1;
                leaf.push(number);
                number
            }
        };
        of_texts.push(number);
    }
    (Patterns { templates, tokens: numbers.into_tokens() }, of_texts)
}

/// Returns the number of places at which the text and the template have the same token.
fn equal(template: &[u32], text: &[u32]) -> usize {
    template.iter().zip(text).filter(|(one, other)| one == other).count()
}

/// Replaces each token of the template that differs from the text's token by `any`, the number of the wildcard.
fn widen(template: &mut [u32], text: &[u32], any: u32) {
    for (token, other) in template.iter_mut().zip(text) {
        if token != other {
            *token = any;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [usize; 4] = [1, 3, 50, 2_000];

    /// Returns texts of few words, so that many of them are similar, by a linear congruential generator.
    fn texts(seed: u64, count: usize) -> Vec<String> {
        let words = ["error", "in", "blk_12", "7", "10.0.0.1", "née", "of", "=", "a=5,b", "\u{85}"];
        let mut state = seed;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        (0..count)
            .map(|_| {
                (0..next(9))
                    .map(|_| words.get(next(words.len())).copied().unwrap_or_default())
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect()
    }

    fn grouped(texts: &[String]) -> (Vec<Vec<String>>, Vec<u32>) {
        let (found, of_texts) = group(texts.iter().map(String::as_str));
        (templates(&found), of_texts)
    }

    fn templates(patterns: &Patterns) -> Vec<Vec<String>> {
        let template = |index| patterns.template(index).unwrap_or_default().into_iter().map(str::to_owned).collect();
        (0..patterns.count()).map(template).collect()
    }

    #[test]
    fn every_text_has_one_pattern_and_its_template_matches() {
        for (seed, size) in SIZES.iter().enumerate() {
            let texts = texts(seed as u64 + 1, *size);
            let (templates, of_texts) = grouped(&texts);
            assert_eq!(of_texts.len(), texts.len());
            for (text, number) in texts.iter().zip(&of_texts) {
                let text = tokens(text);
                let template = templates.get(*number as usize);
                assert_eq!(template.map(Vec::len), Some(text.len()));
                assert!(template.into_iter().flatten().zip(&text).all(|(one, other)| one == WILDCARD || one == other));
            }
            for number in 0..templates.len() as u32 {
                assert!(of_texts.contains(&number));
            }
        }
    }

    #[test]
    fn equal_texts_in_equal_order_have_equal_patterns() {
        let texts = texts(5, 3_000);
        assert_eq!(grouped(&texts), grouped(&texts));
    }

    #[test]
    fn words_that_differ_become_wildcards() {
        let (found, of_texts) = group(["user ann logged in", "user bob logged in", "disk full"]);
        assert_eq!(templates(&found), [vec!["user", "<*>", "logged", "in"], vec!["disk", "full"]]);
        assert_eq!(found.template(2), None);
        assert_eq!(of_texts, [0, 0, 1]);
    }

    #[test]
    fn texts_that_all_differ_have_a_bounded_number_of_patterns() {
        let name = |number: usize| -> String {
            number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
        };
        let texts: Vec<String> = (0..500).map(|n| format!("a {0}x {0}y {0}z", name(n))).collect();
        assert_eq!(grouped(&texts).0.len(), MAX_COMPARED);
    }
}
