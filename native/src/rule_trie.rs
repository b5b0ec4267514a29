//! Looks up attribute names in a tenant's rules: a trie of their patterns, whose nodes find their children by a bitmap
//! of bytes.
//!
//! A look-up ends at the first byte with which no pattern continues, so nearly all names cost a few bytes. It can be
//! paused and continued, so the name of a nested entry costs only its last part.

use std::collections::BTreeMap;
use std::collections::VecDeque;

use unicase::UniCase;

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

/// A node: the bytes that follow the one that leads to it, and its children by their first bytes.
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
        let mut trie = RuleTrie { nodes: vec![Node::default()], labels: Vec::new() };
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
                return self.follow(place, folded_bytes(name.get(index..).unwrap_or_default()).as_bytes(), true);
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
}

impl Node {
    #[inline]
    fn size(&self) -> usize {
        self.label.1 - self.label.0
    }
}

/// Returns a name in the form that is compared with rules: by Unicode's full case folding, like Python's
/// `str.casefold`.
pub fn folded(name: &str) -> String {
    if name.is_ascii() { name.to_ascii_lowercase() } else { UniCase::unicode(name).to_folded_case() }
}

#[cold]
fn folded_bytes(name: &[u8]) -> String {
    folded(&String::from_utf8_lossy(name))
}
