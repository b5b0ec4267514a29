//! Data structures that hold the rules in lists, with or without a cache.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};

use logsieve_native::folding::folded;
use logsieve_native::rule_trie::{Action, Rule};

use crate::lookup::Lookup;

/// All rules in the order in which they win. A look-up compares the name with one after the other.
pub struct EveryRule(Vec<(Vec<u8>, bool, Action)>);

impl EveryRule {
    pub fn new(rules: &[Rule]) -> Self {
        let mut in_order: Vec<_> =
            rules.iter().map(|rule| (rule.pattern.clone().into_bytes(), rule.is_prefix, rule.action)).collect();
        in_order.sort_by_key(|(pattern, is_prefix, _)| (*is_prefix, usize::MAX - pattern.len()));
        EveryRule(in_order)
    }
}

impl Lookup<'_> for EveryRule {
    fn action(&mut self, name: &[u8]) -> Option<Action> {
        let name = fold(name);
        let fits = |pattern: &[u8], is_prefix| if is_prefix { name.starts_with(pattern) } else { name == pattern };
        self.0.iter().find(|(pattern, is_prefix, _)| fits(pattern, *is_prefix)).map(|(_, _, action)| *action)
    }
}

/// Rules for exact names in a hash table, and prefix rules in a sorted list. Each entry of the list has the index of
/// the longest shorter prefix that its own prefix begins with.
pub struct Sorted {
    exact: HashMap<Vec<u8>, Action>,
    prefixes: Vec<(Vec<u8>, Action, Option<usize>)>,
}

impl Sorted {
    pub fn new(rules: &[Rule]) -> Self {
        let of = |is_prefix| rules.iter().filter(move |rule| rule.is_prefix == is_prefix);
        let exact = of(false).map(|rule| (rule.pattern.clone().into_bytes(), rule.action)).collect();
        let mut sorted: Vec<_> = of(true).map(|rule| (rule.pattern.clone().into_bytes(), rule.action)).collect();
        sorted.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut prefixes: Vec<(Vec<u8>, Action, Option<usize>)> = Vec::new();
        for (pattern, action) in sorted {
            let mut parent = prefixes.len().checked_sub(1);
            while let Some((shorter, _, next)) = parent.and_then(|index| prefixes.get(index)) {
                if pattern.starts_with(shorter) {
                    break;
                }
                parent = *next;
            }
            prefixes.push((pattern, action, parent));
        }
        Sorted { exact, prefixes }
    }

    /// Returns the action for a folded name.
    pub fn folded(&self, name: &[u8]) -> Option<Action> {
        if let Some(action) = self.exact.get(name) {
            return Some(*action);
        }
        let mut place = self.prefixes.partition_point(|(prefix, ..)| prefix.as_slice() <= name).checked_sub(1);
        while let Some((prefix, action, parent)) = place.and_then(|index| self.prefixes.get(index)) {
            if name.starts_with(prefix) {
                return Some(*action);
            }
            place = *parent;
        }
        None
    }
}

impl Lookup<'_> for Sorted {
    fn action(&mut self, name: &[u8]) -> Option<Action> {
        self.folded(&fold(name))
    }
}

/// A cache of the actions of names, by the name as it was sent, and `Sorted` for other names.
pub struct Remembered<'a, S> {
    pub decided: HashMap<&'a [u8], Option<Action>, S>,
    pub others: Sorted,
}

impl<'a, S: BuildHasher> Lookup<'a> for Remembered<'a, S> {
    fn action(&mut self, name: &'a [u8]) -> Option<Action> {
        if let Some(action) = self.decided.get(name) {
            return *action;
        }
        let action = self.others.folded(&fold(name));
        if self.decided.len() >= REMEMBERED {
            self.decided.clear();
        }
        self.decided.insert(name, action);
        action
    }
}

/// Largest number of names in the cache.
const REMEMBERED: usize = 4096;

/// A hash function that is faster than every keyed one, and for which a sender could construct collisions.
#[derive(Default)]
pub struct Cheap(u64);

impl Hasher for Cheap {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some((word, after)) = rest.split_first_chunk::<8>() {
            self.0 = (self.0.rotate_left(5) ^ u64::from_le_bytes(*word)).wrapping_mul(0x517c_c1b7_2722_0a95);
            rest = after;
        }
        for byte in rest {
            self.0 = (self.0.rotate_left(5) ^ u64::from(*byte)).wrapping_mul(0x517c_c1b7_2722_0a95);
        }
    }
}

pub fn fold(name: &[u8]) -> Vec<u8> {
    folded(&String::from_utf8_lossy(name)).into_bytes()
}
