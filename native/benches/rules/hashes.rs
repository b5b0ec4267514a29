//! Data structures that find rules by hashes or first bytes of their patterns.

use std::collections::{BTreeSet, HashMap};
use std::hash::BuildHasherDefault;

use logsieve_native::rule_trie::{Action, Rule};

use crate::lists::{Cheap, Sorted, fold};
use crate::lookup::Lookup;

/// A pattern, true if it is a prefix, and its action.
type Entry = (Vec<u8>, bool, Action);

/// Rules by the hash of their pattern. A name is hashed byte by byte, and looked up at each length that a pattern has.
/// With `bloom`, a Bloom filter says first whether a pattern may have the hash.
pub struct ByLength {
    lengths: Vec<usize>,
    patterns: HashMap<u64, Vec<Entry>, BuildHasherDefault<Cheap>>,
    bloom: Option<Box<[u64; 64]>>,
}

pub fn rolling(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
}

impl ByLength {
    pub fn new(rules: &[Rule], with_bloom: bool) -> Self {
        let lengths: BTreeSet<usize> = rules.iter().map(|rule| rule.pattern.len()).collect();
        let mut made = ByLength {
            lengths: lengths.into_iter().collect(),
            patterns: HashMap::default(),
            bloom: with_bloom.then(|| Box::new([0; 64])),
        };
        for rule in rules {
            let pattern = rule.pattern.as_bytes();
            let hash = pattern.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| rolling(hash, *byte));
            made.patterns.entry(hash).or_default().push((pattern.to_vec(), rule.is_prefix, rule.action));
            if let Some(word) = made.bloom.as_mut().and_then(|bloom| bloom.get_mut((hash >> 58) as usize)) {
                *word |= 1 << (hash >> 52 & 63);
            }
        }
        made
    }

    fn may_have(&self, hash: u64) -> bool {
        self.bloom
            .as_ref()
            .is_none_or(|bloom| bloom.get((hash >> 58) as usize).is_some_and(|word| word >> (hash >> 52 & 63) & 1 == 1))
    }
}

impl Lookup<'_> for ByLength {
    fn action(&mut self, name: &[u8]) -> Option<Action> {
        let name = fold(name);
        let (mut hash, mut done, mut longest) = (0xcbf2_9ce4_8422_2325, 0, None);
        for length in &self.lengths {
            let Some(more) = name.get(done..*length) else { break };
            hash = more.iter().fold(hash, |hash, byte| rolling(hash, *byte));
            done = *length;
            if !self.may_have(hash) {
                continue;
            }
            for (pattern, is_prefix, action) in self.patterns.get(&hash).map_or(&[][..], Vec::as_slice) {
                if name.get(..done) == Some(pattern.as_slice()) {
                    match is_prefix {
                        false if done == name.len() => return Some(*action),
                        false => {}
                        true => longest = Some(*action),
                    }
                }
            }
        }
        longest
    }
}

/// A filter before `Sorted`. It lets a name pass if a rule for an exact name has its first byte and its length, or if a
/// prefix rule has its first two bytes.
pub struct Prefiltered {
    exact: Vec<[bool; 256]>,
    prefixes: Box<[bool; 65536]>,
    others: Sorted,
}

impl Prefiltered {
    pub fn new(rules: &[Rule]) -> Self {
        let longest = rules.iter().map(|rule| rule.pattern.len()).max().unwrap_or(0);
        let mut exact = vec![[false; 256]; longest + 1];
        let mut prefixes = Box::new([false; 65536]);
        for rule in rules {
            let pattern = rule.pattern.as_bytes();
            let place = match pattern {
                [first, ..] if !rule.is_prefix => {
                    exact.get_mut(pattern.len()).and_then(|bytes| bytes.get_mut(usize::from(*first)))
                }
                [first, second, ..] => prefixes.get_mut(usize::from(*first) << 8 | usize::from(*second)),
                _ => None,
            };
            if let Some(place) = place {
                *place = true;
            }
        }
        Prefiltered { exact, prefixes, others: Sorted::new(rules) }
    }
}

impl Lookup<'_> for Prefiltered {
    fn action(&mut self, name: &[u8]) -> Option<Action> {
        if let [first, second, ..] = name {
            let (first, second) = (first.to_ascii_lowercase(), second.to_ascii_lowercase());
            let pair = usize::from(first) << 8 | usize::from(second);
            let exact = self.exact.get(name.len()).and_then(|bytes| bytes.get(usize::from(first)));
            if name.is_ascii() && self.prefixes.get(pair) != Some(&true) && exact != Some(&true) {
                return None;
            }
        }
        self.others.folded(&fold(name))
    }
}
