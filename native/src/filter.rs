//! A request without the records that are refused.

use crate::admit::Verdict;
use crate::mend::{begin_field, end_field};
use crate::wire::{Fields, Malformed, Wire};

/// Returns the request with the records that are kept; `verdicts` has one for each record, in their order.
///
/// Scopes and resources that lose all their records go with them; everything else stays as it is encoded.
pub fn keep(request: &[u8], verdicts: &[Verdict]) -> Result<Vec<u8>, Malformed> {
    let mut out = Vec::with_capacity(request.len());
    message(request, RESOURCES, &mut verdicts.iter(), &mut out)?;
    Ok(out)
}

/// Levels of messages from a request, which holds resources, to a record.
const RESOURCES: u32 = 3;
const RECORDS: u32 = 1;

/// Appends a message with the records that are kept. `level` counts down: a request holds resources in field 1, these
/// hold scopes in field 2, these hold records in field 2.
fn message(
    bytes: &[u8],
    level: u32,
    verdicts: &mut std::slice::Iter<'_, Verdict>,
    out: &mut Vec<u8>,
) -> Result<Records, Malformed> {
    let below = if level == RESOURCES { 1 } else { 2 };
    let mut records = Records::default();
    let mut fields = Fields::new(bytes);
    loop {
        let (field, encoded) = fields.next_encoded()?;
        match field {
            Some((number, Wire::Bytes(inner))) if number == below && level > RECORDS => {
                let before = out.len();
                let start = begin_field(number, out);
                let within = message(inner, level - 1, verdicts, out)?;
                records.kept |= within.kept;
                records.refused |= within.refused;
                if within.kept || !within.refused {
                    end_field(start, out);
                } else {
                    out.truncate(before);
                }
            }
            Some((number, Wire::Bytes(_))) if number == below => match verdicts.next() {
                None | Some(Verdict::Kept) => {
                    records.kept = true;
                    out.extend_from_slice(encoded);
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

/// Whether a message has records that are kept, and records that are refused.
#[derive(Default)]
struct Records {
    kept: bool,
    refused: bool,
}
