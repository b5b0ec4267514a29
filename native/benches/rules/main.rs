//! Compares data structures that look up attribute rules: `cargo bench --bench rules` measures the time of each with
//! the same records, and checks that all return the same actions. docs/decisions/0032 has the predictions and the
//! results.

mod hashes;
mod lists;
mod lookup;
mod tries;
mod workload;

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::hint::black_box;
use std::time::{Duration, Instant};

use logsieve_native::free_names::FreeNames;
use logsieve_native::rule_trie::{Action, Rule, RuleTrie};

use hashes::{ByLength, Prefiltered};
use lists::{Cheap, EveryRule, Remembered, Sorted};
use lookup::Lookup;
use tries::{Freed, Guessed, HalfBytes, Trie};
use workload::{ATTRIBUTES, Names, Numbers, RECORDS, records, rules};

/// Numbers of rules.
const RULES: [usize; 3] = [10, 100, 1000];
/// Shares of names that match no rule, in percent.
const MISSES: [u64; 3] = [50, 90, 99];
/// Number of measurements of each structure. The shortest time counts.
const ROUNDS: usize = 15;

fn structures<'a>(rules: &[Rule]) -> Vec<(&'static str, Box<dyn Lookup<'a> + 'a>)> {
    let sip: HashMap<&[u8], Option<Action>> = HashMap::new();
    let cheap: HashMap<&[u8], Option<Action>, BuildHasherDefault<Cheap>> = HashMap::default();
    vec![
        ("every rule", Box::new(EveryRule::new(rules))),
        ("hash + sorted prefixes", Box::new(Sorted::new(rules))),
        ("first bytes, then hash + sorted prefixes", Box::new(Prefiltered::new(rules))),
        ("hash of each length", Box::new(ByLength::new(rules, false))),
        ("bloom filter, hash of each length", Box::new(ByLength::new(rules, true))),
        ("remembered by keyed hash", Box::new(Remembered { decided: sip, others: Sorted::new(rules) })),
        ("remembered by cheap hash", Box::new(Remembered { decided: cheap, others: Sorted::new(rules) })),
        ("trie of half bytes", Box::new(HalfBytes::new(rules))),
        ("trie of bytes, packed", Box::new(Trie(RuleTrie::new(rules)))),
        (
            "previous record, then packed trie",
            Box::new(Guessed { trie: RuleTrie::new(rules), before: vec![], index: 0 }),
        ),
        (
            "slots of free names, then packed trie",
            Box::new(Freed { trie: RuleTrie::new(rules), free: FreeNames::default() }),
        ),
    ]
}

fn time<'a>(lookup: &mut dyn Lookup<'a>, records: &'a [Vec<String>]) -> Duration {
    let started = Instant::now();
    for record in records {
        lookup.record();
        for name in record {
            black_box(lookup.action(black_box(name.as_bytes())));
        }
    }
    started.elapsed()
}

fn case(count: usize, misses: u64, names: Names) {
    let mut numbers = Numbers(count as u64 * 100 + misses);
    let rules = rules(count, &mut numbers);
    let records = records(&rules, misses, names, &mut numbers);
    let mut expected: Option<Vec<Option<Action>>> = None;
    let mut built = structures(&rules);
    for (name, lookup) in &mut built {
        let mut answers = Vec::new();
        for record in &records {
            lookup.record();
            answers.extend(record.iter().map(|each| lookup.action(each.as_bytes())));
        }
        assert!(expected.get_or_insert_with(|| answers.clone()) == &answers, "{name} disagrees");
    }
    let mut best = vec![Duration::MAX; built.len()];
    for _ in 0..ROUNDS {
        for ((_, lookup), best) in built.iter_mut().zip(&mut best) {
            *best = time(lookup.as_mut(), &records).min(*best);
        }
    }
    let kind = match names {
        Names::Any => "any names",
        Names::SameOrder => "same names in the same order",
        Names::New => "each name new",
    };
    println!("\n{count} rules, {misses} % misses, {kind}: nanoseconds a record of {ATTRIBUTES} attributes");
    for ((name, _), best) in built.iter().zip(&best) {
        println!("  {name:42} {:8.0}", best.as_nanos() as f64 / RECORDS as f64);
    }
}

fn main() {
    for count in RULES {
        for misses in MISSES {
            case(count, misses, Names::Any);
        }
    }
    case(100, 99, Names::SameOrder);
    case(100, 99, Names::New);
}
