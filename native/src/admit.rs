//! Decides which records of a request are kept, by their time, their severity, the length of their texts and the number
//! of their attribute names.

use crate::column_texts::{scope_bytes, service_bytes};
use crate::names::{NameHasher, NameSet};
use crate::part_names::{PartNames, add_names};
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
    /// A text of the record, its resource or its scope is too long for a column with a dictionary.
    TextTooLong = 6,
    /// The record is kept.
    Kept = 7,
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
    /// Largest number of bytes of a service name, a severity text, an event name, a scope's name or version, and an
    /// attribute name of a record or resource.
    pub text_bytes: usize,
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
    let names = || PartNames::new(hasher, bounds.record_names, bounds.text_bytes);
    let mut decider = Decider {
        bounds,
        known,
        left,
        decision,
        resource: names(),
        scope: names(),
        record: names(),
        new: Default::default(),
    };
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
    resource: PartNames<'a>,
    scope: PartNames<'a>,
    record: PartNames<'a>,
    /// New names of the resource, the scope and the record.
    new: [NewNames; 3],
}

/// Names of a part that neither a kept record of the request nor an earlier part of the same record has.
///
/// They stay right while the part lasts: the request's names grow only by a kept record, which also takes the new names
/// of its resource and its scope, so that none are left.
#[derive(Default)]
struct NewNames {
    names: NameSet,
    /// Number of these names that the tenant has not sent today.
    fresh: usize,
    /// True if the names were looked up for the current part. Thousands of refused records may share a resource and a
    /// scope, so their names are looked up only once.
    is_current: bool,
}

impl NewNames {
    /// Looks up the part's names, unless that was done already. Names for which `is_old` returns true are not new.
    fn find(&mut self, part: &PartNames<'_>, known: &NameSet, is_old: impl Fn(&u64) -> bool) {
        if self.is_current {
            return;
        }
        self.names.clear();
        (self.fresh, self.is_current) = (0, true);
        if part.are_known {
            return;
        }
        for hash in &part.hashes {
            if !is_old(hash) && self.names.insert(*hash) && !known.contains(hash) {
                self.fresh += 1;
            }
        }
    }
}

impl<'a> Decider<'a> {
    fn resource_logs(&mut self, message: &'a [u8]) -> Result<(), Malformed> {
        self.resource.clear();
        let [new, _, _] = &mut self.new;
        new.is_current = false;
        // A resource may come after its records, and in several pieces.
        add_names(message, 1, &mut self.resource)?;
        let refusal = if self.resource.is_too_long || service_bytes(message)? > self.bounds.text_bytes {
            Some(Verdict::TextTooLong)
        } else {
            self.resource.are_too_many().then_some(Verdict::RecordNames)
        };
        let mut fields = Fields::new(message);
        while let Some(field) = fields.next_field()? {
            if let (2, Wire::Bytes(inner)) = field {
                self.scope_logs(inner, refusal)?;
            }
        }
        Ok(())
    }

    fn scope_logs(&mut self, message: &'a [u8], refusal: Option<Verdict>) -> Result<(), Malformed> {
        self.scope.clear();
        let [_, new, _] = &mut self.new;
        new.is_current = false;
        add_names(message, 3, &mut self.scope)?;
        let refusal = if scope_bytes(message)? > self.bounds.text_bytes {
            Some(Verdict::TextTooLong)
        } else {
            refusal.or(self.scope.are_too_many().then_some(Verdict::RecordNames))
        };
        let mut fields = Fields::new(message);
        while let Some(field) = fields.next_field()? {
            if let (2, Wire::Bytes(inner)) = field {
                let verdict = self.log_record(inner, refusal)?;
                self.decision.verdicts.push(verdict);
                if let Some(refused) = self.decision.refused.get_mut(verdict as usize) {
                    refused.records += 1;
                    refused.bytes += inner.len() as u64;
                }
            }
        }
        Ok(())
    }

    /// Decides about a record. `refusal` is the reason why the records of its resource or scope cannot be kept.
    fn log_record(&mut self, message: &'a [u8], refusal: Option<Verdict>) -> Result<Verdict, Malformed> {
        let (mut time, mut observed, mut severity) = (0, 0, 0_i32);
        let (mut severity_text, mut event_name): (&[u8], &[u8]) = (b"", b"");
        self.record.clear();
        let mut fields = Fields::new(message);
        while let Some(field) = fields.next_field()? {
            match field {
                (1, Wire::Fixed64(value)) => time = value,
                // Protobuf enums have 32 bits.
                (2, Wire::Varint(value)) => severity = value as u32 as i32,
                (3, Wire::Bytes(value)) => severity_text = value,
                (6, Wire::Bytes(pair)) => self.record.add(pair)?,
                (11, Wire::Fixed64(value)) => observed = value,
                (12, Wire::Bytes(value)) => event_name = value,
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
        } else if let Some(verdict) = refusal {
            verdict
        } else if self.record.is_too_long || severity_text.len().max(event_name.len()) > self.bounds.text_bytes {
            Verdict::TextTooLong
        } else if self.record.are_too_many() {
            Verdict::RecordNames
        } else {
            self.take_names()
        })
    }

    /// Adds the names of a record, its resource and its scope to the request's names, unless that exceeds a limit.
    fn take_names(&mut self) -> Verdict {
        let (names, [resource, scope, record]) = (&mut self.decision.names, &mut self.new);
        resource.find(&self.resource, self.known, |hash| names.contains(hash));
        scope.find(&self.scope, self.known, |hash| names.contains(hash) || resource.names.contains(hash));
        record.is_current = false;
        record.find(&self.record, self.known, |hash| {
            names.contains(hash) || resource.names.contains(hash) || scope.names.contains(hash)
        });
        let added = self.new.iter().map(|part| part.names.len()).sum::<usize>();
        if names.len() + added > self.bounds.request_names {
            return Verdict::RequestNames;
        }
        let fresh = self.new.iter().map(|part| part.fresh).sum::<usize>();
        if fresh > self.left {
            return Verdict::DayNames;
        }
        if added > 0 {
            self.left -= fresh;
            for part in &mut self.new {
                names.extend(part.names.drain());
                part.fresh = 0;
            }
        }
        for part in [&mut self.resource, &mut self.scope, &mut self.record] {
            part.set_known();
        }
        Verdict::Kept
    }
}
