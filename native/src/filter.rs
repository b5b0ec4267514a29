//! Writes a request without its refused records, and without secrets in the kept bodies.

use std::time::{Duration, Instant};

use crate::admit::Verdict;
use crate::redact::{IsOver, Redactor};
use crate::refused::Refused;
use crate::wire::{Fields, Wire};
use crate::write_field::{begin_field, end_field};

/// Longest time for searching the bodies of one request, by the clock, so that it bounds how long a thread is occupied.
/// `ingest/receiver/admit.py` finds out whether the machine was too busy. Real requests take a fortieth of it on a busy
/// machine. The time is checked before each text, and in a long text every WINDOW_BYTES of each expression, and more
/// often within a match that reaches the end of a window.
const SEARCH_TIME: Duration = Duration::from_secs(5);

/// A request with only its kept records, and the number of replaced matches in their bodies.
pub struct Left {
    /// The encoded request.
    pub request: Vec<u8>,
    /// Number of replaced matches.
    pub redacted: u64,
}

/// Returns the request with only its kept records. `verdicts` has one verdict for each record, in their order.
///
/// Scopes and resources without a kept record are left out. Everything else keeps its encoding, apart from redacted
/// bodies. Fails with TooSlow if redacting the bodies takes longer than SEARCH_TIME, and with TooLong if it makes a text
/// too long.
pub fn keep(request: &[u8], verdicts: &[Verdict], redactor: Option<&Redactor>) -> Result<Left, Refused> {
    let started = Instant::now();
    keep_until(request, verdicts, redactor, &|| started.elapsed() > SEARCH_TIME)
}

/// Like `keep`, but with a time limit of the caller: fails with TooSlow once `is_over` returns true.
fn keep_until(
    request: &[u8],
    verdicts: &[Verdict],
    redactor: Option<&Redactor>,
    is_over: IsOver,
) -> Result<Left, Refused> {
    let mut filter = Filter { verdicts: verdicts.iter(), redactor, redacted: 0, is_over };
    let mut out = Vec::with_capacity(request.len());
    filter.message(request, RESOURCES, &mut out)?;
    Ok(Left { request: out, redacted: filter.redacted })
}

/// Level of a request. Levels count down to RECORDS: the messages whose fields are records.
const RESOURCES: u32 = 3;
const RECORDS: u32 = 1;
/// Field number of a record's body.
const BODY: u32 = 5;

struct Filter<'a> {
    verdicts: std::slice::Iter<'a, Verdict>,
    redactor: Option<&'a Redactor>,
    redacted: u64,
    is_over: IsOver<'a>,
}

impl Filter<'_> {
    /// Appends a message with its kept records. `level` counts down: a request has resources in field 1, these have
    /// scopes in field 2, and these have records in field 2.
    fn message(&mut self, bytes: &[u8], level: u32, out: &mut Vec<u8>) -> Result<Records, Refused> {
        let below = if level == RESOURCES { 1 } else { 2 };
        let mut records = Records::default();
        let mut fields = Fields::new(bytes);
        loop {
            let (field, encoded) = fields.next_encoded()?;
            match field {
                Some((number, Wire::Bytes(inner))) if number == below && level > RECORDS => {
                    let before = out.len();
                    let start = begin_field(number, out);
                    let within = self.message(inner, level - 1, out)?;
                    records.kept |= within.kept;
                    records.refused |= within.refused;
                    if within.kept || !within.refused {
                        end_field(start, out);
                    } else {
                        out.truncate(before);
                    }
                }
                Some((number, Wire::Bytes(inner))) if number == below => match self.verdicts.next() {
                    None | Some(Verdict::Kept) => {
                        records.kept = true;
                        self.record(number, inner, encoded, out)?;
                    }
                    Some(_) => records.refused = true,
                },
                Some(_) => out.extend_from_slice(encoded),
                None => {
                    out.extend_from_slice(encoded);
                    return Ok(records);
                }
            }
        }
    }

    /// Appends a record, byte for byte if nothing in its body is redacted.
    fn record(&mut self, number: u32, record: &[u8], encoded: &[u8], out: &mut Vec<u8>) -> Result<(), Refused> {
        let Some(redactor) = self.redactor else {
            out.extend_from_slice(encoded);
            return Ok(());
        };
        let (before, mut redacted) = (out.len(), 0);
        let start = begin_field(number, out);
        let mut fields = Fields::new(record);
        loop {
            let (field, encoded) = fields.next_encoded()?;
            match field {
                Some((BODY, Wire::Bytes(any_value))) => {
                    let start = begin_field(BODY, out);
                    redacted += redactor.write_value(any_value, out, self.is_over)?;
                    end_field(start, out);
                }
                Some(_) => out.extend_from_slice(encoded),
                None => {
                    out.extend_from_slice(encoded);
                    break;
                }
            }
        }
        if redacted > 0 {
            end_field(start, out);
            self.redacted += redacted;
        } else {
            out.truncate(before);
            out.extend_from_slice(encoded);
        }
        Ok(())
    }
}

/// Kinds of records that a message has: kept ones, refused ones, or both.
#[derive(Default)]
struct Records {
    kept: bool,
    refused: bool,
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn field(number: u32, value: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let start = begin_field(number, &mut out);
        out.extend_from_slice(value);
        end_field(start, &mut out);
        out
    }

    #[test]
    fn a_request_ends_when_its_time_is_over_within_one_body() {
        let body = field(BODY, &field(1, &[b'.'; 2 * 1024 * 1024]));
        let request = field(1, &field(2, &field(2, &body)));
        let redactor = Redactor::new(&["key-[0-9]+".to_owned()], false).ok();
        let ended_after = |checks: usize| {
            let left = Cell::new(checks);
            let is_over = || left.replace(left.get().saturating_sub(1)) == 0;
            keep_until(&request, &[], redactor.as_ref(), &is_over)
        };
        assert!(matches!(ended_after(5), Err(Refused::TooSlow)));
        assert!(ended_after(100).is_ok_and(|left| left.request == request && left.redacted == 0));
    }
}
