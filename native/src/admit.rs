//! Decides which records of a request are kept, by their time, their severity and the number of their attribute names.

use crate::any_value::read_key;
use crate::names::{NameHasher, NameSet};
use crate::survey::record_time;
use crate::wire::{Fields, Malformed, Wire};

/// Largest severity number of the data model; 0 is "unspecified".
pub const LAST_SEVERITY: i32 = 24;

/// Decision about a record. The number of a reason is its index in `Decision::refused`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The record's time is before the allowed window.
    TooOld = 0,
    /// The record's time is after the allowed window.
    TooNew = 1,
    /// The record's severity number is outside the data model's range.
    Severity = 2,
    /// The record, its resource or its scope has more distinct names than allowed for each of them.
    RecordNames = 3,
    /// With this record, the request would have more distinct names than allowed for a request.
    RequestNames = 4,
    /// With this record, the tenant would have sent more distinct names than allowed for a day.
    DayNames = 5,
    /// The record is kept.
    Kept = 6,
}

const REASONS: usize = Verdict::Kept as usize;

/// Limits for a record.
#[derive(Clone, Copy)]
pub struct Bounds {
    /// Earliest allowed time, inclusive, in nanoseconds since the Unix epoch.
    pub oldest: u64,
    /// Latest allowed time, inclusive, in nanoseconds since the Unix epoch.
    pub newest: u64,
    /// Time for records that have none, in nanoseconds since the Unix epoch.
    pub received_at: u64,
    /// Largest number of distinct attribute names of a record, and likewise of its resource and of its scope.
    pub record_names: usize,
    /// Largest number of distinct attribute names of a request, including its resources and scopes.
    pub request_names: usize,
}

/// Number of refused records, and of their protobuf bytes.
#[derive(Clone, Copy, Default)]
pub struct Refused {
    /// Number of records.
    pub records: u64,
    /// Number of their bytes.
    pub bytes: u64,
}

/// Decisions about all records of a request, in their order.
pub struct Decision {
    /// One decision for each record.
    pub verdicts: Vec<Verdict>,
    /// Refused records, by the number of their reason.
    pub refused: [Refused; REASONS],
    /// Distinct names of the kept records, their resources and their scopes.
    pub names: NameSet,
}

impl Decision {
    /// Returns the number of kept records.
    pub fn kept(&self) -> u64 {
        self.verdicts.len() as u64 - self.refused.iter().map(|each| each.records).sum::<u64>()
    }
}

/// Decides about each record of a well-formed request. Names of refused records do not count.
///
/// `known` are names that the tenant has already sent today; `left` is the number of new names it may still send today.
pub fn decide(
    request: &[u8],
    bounds: Bounds,
    hasher: &NameHasher,
    known: &NameSet,
    left: usize,
) -> Result<Decision, Malformed> {
    let decision = Decision { verdicts: Vec::new(), refused: Default::default(), names: NameSet::default() };
    let names = || Names {
        hasher,
        max_names: bounds.record_names,
        before: Vec::new(),
        hashes: Vec::new(),
        seen: false,
        before_seen: false,
    };
    let mut decider =
        Decider { bounds, known, left, decision, resource: names(), scope: names(), record: names(), new: Vec::new() };
    let mut fields = Fields::new(request);
    while let Some(field) = fields.next_field()? {
        if let (1, Wire::Bytes(inner)) = field {
            decider.resource_logs(inner)?;
        }
    }
    Ok(decider.decision)
}

struct Decider<'a> {
    bounds: Bounds,
    known: &'a NameSet,
    left: usize,
    decision: Decision,
    resource: Names<'a>,
    scope: Names<'a>,
    record: Names<'a>,
    new: Vec<u64>,
}

/// The attribute names of one record, resource or scope.
struct Names<'a> {
    hasher: &'a NameHasher,
    max_names: usize,
    /// Names of the previous record, resource or scope, with their hashes. Consecutive ones mostly have the same names
    /// in the same order.
    before: Vec<(&'a [u8], u64)>,
    hashes: Vec<u64>,
    /// True while all of these names are known to be in the request already.
    seen: bool,
    /// True if the names in `before` are known to be in the request already.
    before_seen: bool,
}

impl<'a> Names<'a> {
    fn clear(&mut self) {
        self.hashes.clear();
        self.seen = self.before_seen;
    }

    /// Marks all of these names as known to be in the request.
    fn set_seen(&mut self) {
        self.seen = true;
        self.before_seen |= self.hashes.len() >= self.before.len();
    }

    #[inline]
    fn add(&mut self, pair: &'a [u8]) -> Result<(), Malformed> {
        let (name, place) = (read_key(pair)?, self.hashes.len());
        let hash = match self.before.get_mut(place) {
            Some((same, hash)) if *same == name => *hash,
            Some(other) => {
                (self.seen, self.before_seen) = (false, false);
                *other = (name, self.hasher.hash(name));
                other.1
            }
            None => {
                (self.seen, self.before_seen) = (false, false);
                let hash = self.hasher.hash(name);
                if self.before.len() < self.max_names {
                    self.before.push((name, hash));
                }
                hash
            }
        };
        self.hashes.push(hash);
        Ok(())
    }

    fn are_too_many(&mut self) -> bool {
        if self.hashes.len() > self.max_names {
            self.hashes.sort_unstable();
            self.hashes.dedup();
        }
        self.hashes.len() > self.max_names
    }
}

impl<'a> Decider<'a> {
    fn resource_logs(&mut self, message: &'a [u8]) -> Result<(), Malformed> {
        self.resource.clear();
        // A resource may come after its records, and in several pieces.
        add_names(message, 1, &mut self.resource)?;
        let too_many = self.resource.are_too_many();
        let mut fields = Fields::new(message);
        while let Some(field) = fields.next_field()? {
            if let (2, Wire::Bytes(inner)) = field {
                self.scope_logs(inner, too_many)?;
            }
        }
        Ok(())
    }

    fn scope_logs(&mut self, message: &'a [u8], too_many: bool) -> Result<(), Malformed> {
        self.scope.clear();
        add_names(message, 3, &mut self.scope)?;
        let too_many = self.scope.are_too_many() || too_many;
        let mut fields = Fields::new(message);
        while let Some(field) = fields.next_field()? {
            if let (2, Wire::Bytes(inner)) = field {
                let verdict = self.log_record(inner, too_many)?;
                self.decision.verdicts.push(verdict);
                if let Some(refused) = self.decision.refused.get_mut(verdict as usize) {
                    refused.records += 1;
                    refused.bytes += inner.len() as u64;
                }
            }
        }
        Ok(())
    }

    fn log_record(&mut self, message: &'a [u8], too_many: bool) -> Result<Verdict, Malformed> {
        let (mut time, mut observed, mut severity) = (0, 0, 0_i32);
        self.record.clear();
        let mut fields = Fields::new(message);
        while let Some(field) = fields.next_field()? {
            match field {
                (1, Wire::Fixed64(value)) => time = value,
                // Protobuf enums have 32 bits.
                (2, Wire::Varint(value)) => severity = value as u32 as i32,
                (6, Wire::Bytes(pair)) => self.record.add(pair)?,
                (11, Wire::Fixed64(value)) => observed = value,
                _ => {}
            }
        }
        let time = record_time(time, observed, self.bounds.received_at);
        Ok(if time < self.bounds.oldest {
            Verdict::TooOld
        } else if time > self.bounds.newest {
            Verdict::TooNew
        } else if !(0..=LAST_SEVERITY).contains(&severity) {
            Verdict::Severity
        } else if too_many || self.record.are_too_many() {
            Verdict::RecordNames
        } else {
            self.take_names()
        })
    }

    /// Adds the names of a record, its resource and its scope to the request's names, unless that exceeds a limit.
    fn take_names(&mut self) -> Verdict {
        let names = &mut self.decision.names;
        self.new.clear();
        for part in [&self.resource, &self.scope, &self.record] {
            if part.seen {
                continue;
            }
            for hash in &part.hashes {
                if !names.contains(hash) && !self.new.contains(hash) {
                    self.new.push(*hash);
                    if names.len() + self.new.len() > self.bounds.request_names {
                        return Verdict::RequestNames;
                    }
                }
            }
        }
        if !self.new.is_empty() {
            let fresh = self.new.iter().filter(|hash| !self.known.contains(*hash)).count();
            if fresh > self.left {
                return Verdict::DayNames;
            }
            self.left -= fresh;
            names.extend(&self.new);
        }
        for part in [&mut self.resource, &mut self.scope, &mut self.record] {
            part.set_seen();
        }
        Verdict::Kept
    }
}

/// Adds the attribute names of a resource or scope, which is field 1 of the message around it.
fn add_names<'a>(message: &'a [u8], number: u32, names: &mut Names<'a>) -> Result<(), Malformed> {
    let mut fields = Fields::new(message);
    while let Some(field) = fields.next_field()? {
        if let (1, Wire::Bytes(inner)) = field {
            let mut fields = Fields::new(inner);
            while let Some(field) = fields.next_field()? {
                if let (found, Wire::Bytes(pair)) = field {
                    if found == number {
                        names.add(pair)?;
                    }
                }
            }
        }
    }
    Ok(())
}
