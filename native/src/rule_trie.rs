//! Looks up attribute names in a tenant's rules: a trie of their patterns, whose nodes find their children by a bitmap
//! of bytes.
//!
//! A look-up ends at the first byte with which no pattern continues, so nearly all names cost a few bytes. It can be
//! paused and continued, so the name of a nested entry costs only its last part.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::VecDeque;

use crate::folding::{beginning, folded, split_character};

/// Number of bytes of a name that cost as much as a look-up.
const COSTED_BYTES: usize = 64;

/// Effect of a rule on an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The attribute is dropped.
    Drop,
    /// The attribute's value is masked.
    Mask,
}

/// A rule about one name, or about all names that begin with the pattern.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Name or beginning of names, folded.
    pub pattern: String,
    /// True for a rule about all names that begin with the pattern.
    pub is_prefix: bool,
    /// Action on the attributes that the rule matches.
    pub action: Action,
}

/// Actions of the rules with one pattern.
#[derive(Clone, Copy, Default)]
struct Actions {
    exact: Option<Action>,
    prefix: Option<Action>,
}

/// A pattern and its actions.
type Pattern<'a> = (&'a [u8], Actions);

/// Nodes that are still empty: their index, the patterns below them, and the number of bytes that lead to them.
type Open<'a> = VecDeque<(usize, &'a [Pattern<'a>], usize)>;

/// Node of the trie: the bytes up to its first branch, without the byte by which its parent finds it, and its children
/// by their first bytes.
#[derive(Default)]
struct Node {
    /// Start and end in `labels` of the bytes before the first branch.
    label: (usize, usize),
    /// Bit `n` is set if a child begins with byte `n`.
    children: [u64; 4],
    /// Index of the first child. Children are ordered by their first byte.
    first_child: usize,
    actions: Actions,
}

impl Node {
    /// Returns the index of the child that begins with this byte.
    #[inline]
    fn child(&self, byte: u8) -> Option<usize> {
        let (word, bit) = (usize::from(byte >> 6), byte & 63);
        let bits = *self.children.get(word)?;
        if bits >> bit & 1 == 0 {
            return None;
        }
        let before: u32 = self.children.iter().take(word).map(|each| each.count_ones()).sum();
        Some(self.first_child + (before + (bits & ((1 << bit) - 1)).count_ones()) as usize)
    }
}

/// Position in the trie after reading the beginning of a name.
#[derive(Clone, Copy)]
pub struct Place {
    /// Index of the node; None if no pattern begins like the name.
    node: Option<usize>,
    /// Number of bytes of the node's label that were matched.
    matched: usize,
    /// Action of the longest prefix rule matched so far.
    prefix: Option<Action>,
}

impl Place {
    /// Returns true if no continuation of the name can match a rule.
    pub fn is_dead(&self) -> bool {
        self.node.is_none() && self.prefix.is_none()
    }
}

/// All rules of a tenant. An exact name wins over a prefix, a longer prefix over a shorter one.
pub struct RuleTrie {
    nodes: Vec<Node>,
    labels: Vec<u8>,
    /// Number of bytes of the longest pattern.
    longest: usize,
}

impl RuleTrie {
    /// Builds the trie. If two exact rules have the same pattern, the last one counts; likewise for two prefix rules.
    pub fn new(rules: &[Rule]) -> Self {
        let mut patterns: BTreeMap<Vec<u8>, Actions> = BTreeMap::new();
        for rule in rules {
            let actions = patterns.entry(rule.pattern.clone().into_bytes()).or_default();
            *(if rule.is_prefix { &mut actions.prefix } else { &mut actions.exact }) = Some(rule.action);
        }
        let patterns: Vec<(&[u8], Actions)> =
            patterns.iter().map(|(each, actions)| (each.as_slice(), *actions)).collect();
        let longest = patterns.iter().map(|(pattern, _)| pattern.len()).max().unwrap_or_default();
        let mut trie = RuleTrie { nodes: vec![Node::default()], labels: Vec::new(), longest };
        let mut open: Open<'_> = VecDeque::from([(0, patterns.as_slice(), 0)]);
        while let Some((index, below, depth)) = open.pop_front() {
            let node = trie.filled(below, depth, &mut open);
            if let Some(place) = trie.nodes.get_mut(index) {
                *place = node;
            }
        }
        trie
    }

    /// Returns the node for patterns whose first `depth` bytes lead to it. Adds its children, to be filled later.
    fn filled<'a>(&mut self, below: &'a [Pattern<'a>], depth: usize, open: &mut Open<'a>) -> Node {
        let mut node = Node { first_child: self.nodes.len(), ..Node::default() };
        let (Some((first, _)), Some((last, _))) = (below.first(), below.last()) else { return node };
        // The patterns are sorted, so a prefix that the first and the last share is shared by all.
        let shared = first.iter().zip(last.iter()).take_while(|(one, other)| one == other).count();
        let start = self.labels.len();
        self.labels.extend_from_slice(first.get(depth..shared).unwrap_or_default());
        node.label = (start, self.labels.len());
        let mut rest = below;
        if let Some(((pattern, actions), others)) = below.split_first() {
            if pattern.len() == shared {
                (node.actions, rest) = (*actions, others);
            }
        }
        for group in rest.chunk_by(|(one, _), (other, _)| one.get(shared) == other.get(shared)) {
            let Some(byte) = group.first().and_then(|(pattern, _)| pattern.get(shared)) else { continue };
            if let Some(word) = node.children.get_mut(usize::from(byte >> 6)) {
                *word |= 1 << (byte & 63);
            }
            open.push_back((self.nodes.len(), group, shared + 1));
            self.nodes.push(Node::default());
        }
        node
    }

    /// Returns the action for an attribute of this name; None if no rule matches. The name must be UTF-8.
    #[inline]
    pub fn action(&self, name: &[u8]) -> Option<Action> {
        self.end(self.advance(self.start(), name))
    }

    /// Returns the position before the first byte of a name.
    #[inline]
    pub fn start(&self) -> Place {
        Place { node: Some(0), matched: 0, prefix: None }
    }

    /// Returns the position after further bytes of a name. The bytes must be whole characters.
    #[inline]
    pub fn advance(&self, place: Place, name: &[u8]) -> Place {
        self.follow(place, name, false)
    }

    /// Like `advance`, for the text that `folded_beginning` returns.
    #[inline]
    pub fn advance_folded(&self, place: Place, beginning: &[u8]) -> Place {
        self.follow(place, beginning, true)
    }

    /// Returns the beginning of a name, folded, that is enough to decide which rule matches. Folding is slow, so a name
    /// that is looked up from several places is folded only once.
    pub fn folded_beginning<'n>(&self, name: &'n [u8]) -> Cow<'n, [u8]> {
        beginning(name, self.longest)
    }

    /// Returns the cost of looking up this name, in look-ups of short names.
    #[inline]
    pub fn cost(&self, name: &[u8]) -> u64 {
        1 + (name.len().min(self.longest) / COSTED_BYTES) as u64
    }

    /// Returns the action for the name that ends here.
    #[inline]
    pub fn end(&self, place: Place) -> Option<Action> {
        let complete = place.node.and_then(|index| self.nodes.get(index)).filter(|node| place.matched == node.size());
        match complete {
            Some(node) => node.actions.exact.or(node.actions.prefix).or(place.prefix),
            None => place.prefix,
        }
    }

    fn follow(&self, mut place: Place, name: &[u8], is_folded: bool) -> Place {
        let Some(mut node) = place.node.and_then(|index| self.nodes.get(index)) else { return place };
        let mut label = self.labels.get(node.label.0 + place.matched..node.label.1).unwrap_or_default().iter();
        for (index, byte) in name.iter().enumerate() {
            if !byte.is_ascii() && !is_folded {
                place.matched = node.size() - label.len();
                return self.follow_characters(place, name.get(index..).unwrap_or_default()).0;
            }
            let byte = byte.to_ascii_lowercase();
            match label.next() {
                Some(expected) if *expected == byte => {}
                Some(_) => return Place { node: None, matched: 0, prefix: place.prefix },
                None => {
                    place.prefix = node.actions.prefix.or(place.prefix);
                    let next = node.child(byte);
                    let Some(found) = next.and_then(|index| self.nodes.get(index)) else {
                        return Place { node: None, matched: 0, prefix: place.prefix };
                    };
                    (place.node, node) = (next, found);
                    label = self.labels.get(node.label.0..node.label.1).unwrap_or_default().iter();
                }
            }
        }
        place.matched = node.size() - label.len();
        place
    }

    /// Folds and reads one character after the other, until no pattern continues. Returns the number of bytes that it
    /// read, too, because the rest of a long name must cost nothing.
    #[cold]
    fn follow_characters(&self, mut place: Place, name: &[u8]) -> (Place, usize) {
        let mut rest = name;
        while place.node.is_some() && !rest.is_empty() {
            let (character, after) = split_character(rest);
            place = self.follow(place, folded(&String::from_utf8_lossy(character)).as_bytes(), true);
            rest = after;
        }
        (place, name.len() - rest.len())
    }
}

impl Node {
    #[inline]
    fn size(&self) -> usize {
        self.label.1 - self.label.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trie(patterns: &[(&str, bool)]) -> RuleTrie {
        let rule = |(pattern, is_prefix): &(&str, bool)| Rule {
            pattern: folded(pattern),
            is_prefix: *is_prefix,
            action: Action::Mask,
        };
        RuleTrie::new(&patterns.iter().map(rule).collect::<Vec<_>>())
    }

    #[test]
    fn names_are_folded_character_by_character() {
        let rules = trie(&[("straße.ä", false), ("ﬁ", true), ("日本.", true)]);
        for name in ["STRASSE.Ä", "Straße.ä", "FIRST", "ﬁrst", "日本.x", "日本.é"] {
            assert!(rules.action(name.as_bytes()).is_some(), "{name}");
        }
        for name in ["straße.", "straße.äa", "straße.a", "日本", "日.本", "é", "日"] {
            assert!(rules.action(name.as_bytes()).is_none(), "{name}");
        }
    }

    #[test]
    fn nothing_is_read_after_the_first_character_with_which_no_pattern_continues() {
        let rules = trie(&[("éa", true)]);
        for (name, read) in [("ü".repeat(100_000), 2), ("é".repeat(100_000), 4), ("éé".to_owned(), 4)] {
            assert_eq!(rules.follow_characters(rules.start(), name.as_bytes()).1, read);
        }
    }

    #[test]
    fn a_folded_beginning_is_as_long_as_the_longest_pattern_needs() {
        let rules = trie(&[("a.Éé", false), ("b", true)]);
        assert_eq!(&*rules.folded_beginning("É".as_bytes()), "é".as_bytes());
        assert_eq!(rules.folded_beginning("Ü".repeat(100_000).as_bytes()).len(), "a.Éé".len() + 2);
        for name in ["a.Éé", "a.éÉÉ", "B", "bÉ", "a.", "c", "abcdefghÉ"] {
            let place = rules.advance_folded(rules.start(), &rules.folded_beginning(name.as_bytes()));
            assert_eq!(rules.end(place), rules.action(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn names_that_a_long_pattern_can_match_cost_more() {
        let names = ["c".repeat(63), "c".repeat(64), "c".repeat(100_000)];
        for (pattern, costs) in [("a".repeat(10), [1, 1, 1]), ("a".repeat(200), [1, 2, 4])] {
            let rules = trie(&[(&pattern, false)]);
            assert_eq!(names.each_ref().map(|name| rules.cost(name.as_bytes())), costs);
        }
    }
}
