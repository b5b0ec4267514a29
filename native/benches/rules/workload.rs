//! Makes rules and records for the comparison. The names are those of OpenTelemetry's semantic conventions and of
//! applications.

use std::collections::BTreeSet;

use logsieve_native::rule_trie::{Action, Rule};

/// Number of records.
pub const RECORDS: usize = 2000;
/// Number of attributes of each record.
pub const ATTRIBUTES: usize = 20;

/// A generator of pseudo-random numbers (SplitMix64). The same seed generates the same numbers.
pub struct Numbers(pub u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % bound
    }

    fn one_of<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len() as u64) as usize)
    }
}

const SECRETS: [&str; 10] = [
    "authorization",
    "cookie",
    "token",
    "secret",
    "password",
    "api-key",
    "session",
    "credential",
    "signature",
    "private",
];
const PLACES: [&str; 6] = [
    "http.request.header.",
    "http.response.header.",
    "app.internal.",
    "db.query.parameter.",
    "rpc.request.metadata.",
    "",
];
const HEADERS: [&str; 8] =
    ["accept", "accept-encoding", "content-length", "content-type", "host", "user-agent", "x-request-id", "etag"];
const AREAS: [&str; 8] = ["order", "payment", "basket", "shipping", "search", "account", "invoice", "stock"];
const FACTS: [&str; 6] = ["id", "count", "state", "duration_ms", "attempt", "source"];

pub fn rules(count: usize, numbers: &mut Numbers) -> Vec<Rule> {
    let mut made: Vec<Rule> = Vec::new();
    let mut known = BTreeSet::new();
    while made.len() < count {
        let is_prefix = made.len() % 2 == 1;
        let place = numbers.one_of(&PLACES).map_or("", |each| each);
        let x = if numbers.below(2) == 0 { "x-" } else { "" };
        let secret = numbers.one_of(&SECRETS).map_or("", |each| each);
        let number = if count > 20 { format!("-{}", numbers.below(count as u64)) } else { String::new() };
        let pattern = format!("{place}{x}{secret}{number}{}", if is_prefix { "-" } else { "" });
        if known.insert((pattern.clone(), is_prefix)) {
            let action = if numbers.below(2) == 0 { Action::Drop } else { Action::Mask };
            made.push(Rule { pattern, is_prefix, action });
        }
    }
    made
}

pub fn kept_names() -> Vec<String> {
    let conventions = include_str!("../../../loadtest/policy/conventions.txt").split_whitespace().map(str::to_owned);
    let headers = ["request", "response"]
        .iter()
        .flat_map(|side| HEADERS.iter().map(move |header| format!("http.{side}.header.{header}")));
    let facts = AREAS.iter().flat_map(|area| FACTS.iter().map(move |fact| format!("app.{area}.{fact}")));
    conventions.chain(headers).chain(facts).collect()
}

/// Repetition of names from record to record.
#[derive(Clone, Copy, PartialEq)]
pub enum Names {
    /// Each attribute of each record has a random name.
    Any,
    /// All records have the same names in the same order, as those of one program, except for names that match a rule.
    SameOrder,
    /// No name occurs twice.
    New,
}

pub fn records(rules: &[Rule], misses: u64, names: Names, numbers: &mut Numbers) -> Vec<Vec<String>> {
    let kept = kept_names();
    let one = |index: usize, record: usize, numbers: &mut Numbers| {
        let suffix = if names == Names::New { format!(".{record}") } else { String::new() };
        if numbers.below(100) >= misses {
            let fact = numbers.one_of(&FACTS).map_or("", |each| each);
            let rule = numbers.one_of(rules);
            return rule.map_or(String::new(), |rule| {
                format!("{}{}", rule.pattern, if rule.is_prefix { format!("{fact}{suffix}") } else { String::new() })
            });
        }
        let name = if names == Names::SameOrder { kept.get(index * 7) } else { numbers.one_of(&kept) };
        name.map_or(String::new(), |name| format!("{name}{suffix}"))
    };
    (0..RECORDS).map(|record| (0..ATTRIBUTES).map(|index| one(index, record, numbers)).collect()).collect()
}
