//! Data structures that hold the rules in a trie.

use logsieve_native::free_names::FreeNames;
use logsieve_native::rule_trie::{Action, Rule, RuleTrie};

use crate::lookup::Lookup;

/// A trie of half bytes. A node has 16 bits that say which children it has.
#[derive(Default)]
pub struct HalfBytes {
    nodes: Vec<Half>,
}

/// Node of the trie of half bytes. `first` is the index of its first child.
#[derive(Default, Clone, Copy)]
pub struct Half {
    children: u16,
    first: u32,
    exact: Option<Action>,
    prefix: Option<Action>,
}

impl HalfBytes {
    pub fn new(rules: &[Rule]) -> Self {
        let mut open: Vec<(usize, usize, Vec<&Rule>)> = vec![(0, 0, rules.iter().collect())];
        let mut nodes = vec![Half::default()];
        while let Some((index, depth, below)) = open.pop() {
            let mut node = Half { first: nodes.len() as u32, ..Half::default() };
            let mut groups: [Vec<&Rule>; 16] = Default::default();
            for rule in below {
                match half(rule.pattern.as_bytes(), depth) {
                    None if rule.is_prefix => node.prefix = Some(rule.action),
                    None => node.exact = Some(rule.action),
                    Some(next) => {
                        node.children |= 1 << next;
                        if let Some(group) = groups.get_mut(usize::from(next)) {
                            group.push(rule);
                        }
                    }
                }
            }
            for group in groups.into_iter().filter(|group| !group.is_empty()) {
                open.push((nodes.len(), depth + 1, group));
                nodes.push(Half::default());
            }
            if let Some(place) = nodes.get_mut(index) {
                *place = node;
            }
        }
        HalfBytes { nodes }
    }
}

pub fn half(bytes: &[u8], depth: usize) -> Option<u8> {
    let byte = bytes.get(depth / 2)?;
    Some(if depth % 2 == 0 { byte >> 4 } else { byte & 15 })
}

impl Lookup<'_> for HalfBytes {
    fn action(&mut self, name: &[u8]) -> Option<Action> {
        let mut node = self.nodes.first()?;
        let mut prefix = node.prefix;
        for byte in name {
            let byte = byte.to_ascii_lowercase();
            for next in [byte >> 4, byte & 15] {
                if node.children >> next & 1 == 0 {
                    return prefix;
                }
                let before = (node.children & ((1 << next) - 1)).count_ones();
                let Some(child) = self.nodes.get((node.first + before) as usize) else { return prefix };
                node = child;
            }
            prefix = node.prefix.or(prefix);
        }
        node.exact.or(prefix)
    }
}

/// The packed trie alone.
pub struct Trie(pub RuleTrie);

impl Lookup<'_> for Trie {
    fn action(&mut self, name: &[u8]) -> Option<Action> {
        self.0.action(name)
    }
}

/// The packed trie with a cache: the names of the previous record and their actions, by index.
pub struct Guessed<'a> {
    pub trie: RuleTrie,
    pub before: Vec<(&'a [u8], Option<Action>)>,
    pub index: usize,
}

impl<'a> Lookup<'a> for Guessed<'a> {
    fn record(&mut self) {
        self.index = 0;
    }

    fn action(&mut self, name: &'a [u8]) -> Option<Action> {
        self.index += 1;
        match self.before.get_mut(self.index - 1) {
            Some((same, action)) if *same == name => *action,
            Some(other) => {
                *other = (name, self.trie.action(name));
                other.1
            }
            None => {
                let action = self.trie.action(name);
                self.before.push((name, action));
                action
            }
        }
    }
}

/// The packed trie after a cache of names that match no rule: what Logsieve uses.
pub struct Freed<'a> {
    pub trie: RuleTrie,
    pub free: FreeNames<'a>,
}

impl<'a> Lookup<'a> for Freed<'a> {
    fn action(&mut self, name: &'a [u8]) -> Option<Action> {
        if self.free.contains(name) {
            return None;
        }
        let action = self.trie.action(name);
        if action.is_none() {
            self.free.add(name);
        }
        action
    }
}
