//! Writes column `record_json`: all that an answer shows of a record besides its time, id and body, as JSON text of the
//! API (backend/logs/record_json.py).
//!
//! A text has two lines: the members before the body, and those after it. It is a function of the row's other columns,
//! so a block does not keep it. The text is empty in three cases: the body has fewer than MIN_BODY_BYTES, the text
//! would be longer than MAX_BYTES, or the message has more than MAX_RECORDS records or MAX_ROW_BYTES bytes of rows,
//! because their texts would take too much memory. Searches then read the other columns.

use crate::block::Block;
use crate::columns::Maps;
use crate::json_write::{write_hex, write_number, write_quoted_bytes, write_time, write_value};
use crate::survey::Survey;
use crate::texts::write_text;

/// Smallest stored body, in bytes, whose row has a text. Storing a text costs as much as the other columns of a row
/// with a short body: docs/decisions/0035-large-records-have-their-json.md has the measurements.
pub const MIN_BODY_BYTES: usize = 1 << 10;
/// Largest text in bytes.
pub const MAX_BYTES: usize = 16 << 10;
/// Largest number of records of a message whose rows get a text. Each text takes about 250 bytes besides its
/// values.
const MAX_RECORDS: u64 = 50_000;
/// Largest size, in bytes, of all rows of a message that get a text. JSON escapes can turn one byte of a plain attribute
/// into six. Because each of these rows has a body of MIN_BODY_BYTES, their texts have less than 300 MB.
const MAX_ROW_BYTES: u64 = 64 << 20;

/// Returns true if the rows of the message get ready-made JSON, the column `record_json`.
pub fn is_packed(survey: &Survey) -> bool {
    survey.records <= MAX_RECORDS && survey.row_bytes <= MAX_ROW_BYTES
}

/// Write position in the column. Caches the last resource's JSON, which the following rows often share.
#[derive(Default)]
pub struct Position {
    /// Number of rows written.
    pub row: usize,
    /// Index of the first value, and number of values, of that resource; None before the first row.
    resource: Option<(usize, usize)>,
    resource_json: Vec<u8>,
    text: Vec<u8>,
}

impl Block {
    /// Appends texts in Native format from the position on, until `out` has at least `size` bytes. Moves the position.
    pub fn write_record_json(&self, position: &mut Position, size: usize, out: &mut Vec<u8>) {
        while position.row < self.rows() && out.len() < size {
            self.make_record_json(position);
            write_text(&position.text, out);
            position.row += 1;
        }
    }

    /// Returns the texts of all rows.
    pub fn record_json(&self) -> Vec<Vec<u8>> {
        let mut position = Position::default();
        (0..self.rows())
            .map(|row| {
                position.row = row;
                self.make_record_json(&mut position);
                position.text.clone()
            })
            .collect()
    }

    /// Replaces the position's text by the text of the position's row.
    fn make_record_json(&self, position: &mut Position) {
        let Position { row, resource, resource_json, text: out } = position;
        let row = *row;
        out.clear();
        if !at(&self.has_record_json, row) || self.body.size(row) < MIN_BODY_BYTES {
            return;
        }
        let its_resource = Some((self.resource.first_value(row), self.resource.letters.at(row).len()));
        if *resource != its_resource {
            resource_json.clear();
            write_attributes(&self.resource, row, resource_json);
            *resource = its_resource;
        }
        if resource_json.len() > MAX_BYTES {
            return;
        }
        out.extend_from_slice(b"\"observed_timestamp\":\"");
        write_time(at(&self.observed_timestamp, row) as u64, out);
        out.extend_from_slice(b"\",\"severity_number\":");
        write_number(at(&self.severity_number, row), out);
        out.extend_from_slice(b",\"severity_text\":");
        write_quoted_bytes(self.severity_text.at(row), out);
        out.extend_from_slice(b",\"service\":");
        write_quoted_bytes(self.service.at(row), out);
        out.extend_from_slice(b"\n\"body_truncated_bytes\":");
        write_number(at(&self.body_truncated_bytes, row), out);
        out.extend_from_slice(b",\"attributes\":");
        write_attributes(&self.attributes, row, out);
        out.extend_from_slice(b",\"resource\":");
        out.extend_from_slice(resource_json);
        out.extend_from_slice(b",\"scope\":{\"name\":");
        write_quoted_bytes(self.scope_name.at(row), out);
        out.extend_from_slice(b",\"version\":");
        write_quoted_bytes(self.scope_version.at(row), out);
        out.extend_from_slice(b"},\"trace_id\":\"");
        write_id(&at(&self.trace_id, row), out);
        out.extend_from_slice(b"\",\"span_id\":\"");
        write_id(&at(&self.span_id, row), out);
        out.extend_from_slice(b"\",\"flags\":");
        write_number(at(&self.flags, row), out);
        out.extend_from_slice(b",\"event_name\":");
        write_quoted_bytes(self.event_name.at(row), out);
        if out.len() > MAX_BYTES {
            out.clear();
        }
    }
}

fn write_attributes(maps: &Maps, row: usize, out: &mut Vec<u8>) {
    out.push(b'{');
    for (index, (letter, key, value)) in maps.entries(row).enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_quoted_bytes(key, out);
        out.push(b':');
        write_value(letter, value, out);
    }
    out.push(b'}');
}

/// Appends the digits of an id; appends nothing if the record has none.
fn write_id(id: &[u8], out: &mut Vec<u8>) {
    if id.iter().any(|byte| *byte != 0) {
        write_hex(id, out);
    }
}

fn at<T: Copy + Default>(values: &[T], row: usize) -> T {
    values.get(row).copied().unwrap_or_default()
}
