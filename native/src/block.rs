//! Collects the rows of many messages, column by column.
//!
//! Sources: OpenTelemetry logs data model; opentelemetry/proto/logs/v1/logs.proto.

use crate::admit::LAST_SEVERITY;
use crate::any_value::{as_plain_text, last_values, read_pair, write_text};
use crate::bodies::{Bodies, Source};
use crate::columns::{Dictionary, Maps};
use crate::pieces::Payload;
use crate::survey::{LAST_NS, record_time};
use crate::wire::{Fields, Malformed, Wire, occurrences};

/// Attribute of a resource that column `service` repeats.
pub const SERVICE_NAME: &[u8] = b"service.name";

/// Values that determine a message's rows, besides its bytes.
#[derive(Clone, Copy)]
pub struct Stamp<'a> {
    /// Number of the tenant.
    pub tenant_id: u32,
    /// Cohort of the tenant when the message was received.
    pub cohort: &'a str,
    /// Largest number of UTF-8 bytes of a body. Longer bodies are cut.
    pub body_max_bytes: usize,
    /// Time of arrival, in nanoseconds since the Unix epoch.
    pub received_at: u64,
    /// Id of the message's first record. Further records have the following ids.
    pub first_record_id: u128,
    /// True if its rows have text in column `record_json`.
    pub has_record_json: bool,
}

/// The columns of a log table (schema/columns.py), all with the same number of rows.
#[derive(Default)]
pub struct Block {
    pub(crate) tenant_id: Vec<u32>,
    pub(crate) cohort: Dictionary,
    pub(crate) timestamp: Vec<i64>,
    pub(crate) id: Vec<u128>,
    pub(crate) observed_timestamp: Vec<i64>,
    pub(crate) severity_number: Vec<u8>,
    pub(crate) severity_text: Dictionary,
    pub(crate) service: Dictionary,
    pub(crate) body: Bodies,
    pub(crate) body_truncated_bytes: Vec<u32>,
    pub(crate) attributes: Maps,
    pub(crate) resource: Maps,
    /// Index after the last row of each resource. All rows of a resource share one map.
    pub(crate) resources: Vec<usize>,
    pub(crate) scope_name: Dictionary,
    pub(crate) scope_version: Dictionary,
    pub(crate) trace_id: Vec<[u8; 16]>,
    pub(crate) span_id: Vec<[u8; 8]>,
    pub(crate) flags: Vec<u32>,
    pub(crate) event_name: Dictionary,
    pub(crate) has_record_json: Vec<bool>,
    scratch: Vec<u8>,
}

impl Block {
    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.timestamp.len()
    }

    /// Appends all records of an export request in their order, and keeps the request, because its bodies are parts of
    /// it. The request must have passed its survey: after an error here, the block cannot be used.
    pub fn append(&mut self, request: Source, stamp: Stamp<'_>) -> Result<(), Malformed> {
        let before = self.rows();
        self.body.start_message(request.clone());
        let mut fields = Fields::new((*request).as_ref());
        while let Some(field) = fields.next_field()? {
            if let (1, Wire::Bytes(inner)) = field {
                self.resource_logs(inner, stamp)?;
            }
        }
        let added = self.rows() - before;
        self.tenant_id.resize(before + added, stamp.tenant_id);
        self.has_record_json.resize(before + added, stamp.has_record_json);
        self.cohort.push_times(stamp.cohort.as_bytes(), added);
        self.id.extend((0..added).map(|index| stamp.first_record_id.wrapping_add(index as u128)));
        Ok(())
    }

    fn resource_logs(&mut self, message: &[u8], stamp: Stamp<'_>) -> Result<(), Malformed> {
        let before = self.rows();
        let mut resource = Payload::default();
        let mut fields = Fields::new(message);
        while let Some(field) = fields.next_field()? {
            match field {
                (1, Wire::Bytes(inner)) => resource.add(message, 1, inner),
                (2, Wire::Bytes(inner)) => self.scope_logs(inner, stamp)?,
                _ => {}
            }
        }
        self.resource(resource, self.rows() - before)
    }

    /// Appends a resource and its service name to `rows` rows.
    fn resource(&mut self, message: Payload<'_>, rows: usize) -> Result<(), Malformed> {
        let mut service = Vec::new();
        for pair in last_values(message.fields().occurrences(1).map(|pair| read_pair(pair?)))? {
            let (key, value) = pair;
            self.resource.add(key, &mut self.scratch, |out| write_text(value, out))?;
            if key == SERVICE_NAME {
                service.clone_from(&self.scratch);
            }
        }
        self.resource.close(rows);
        if rows > 0 {
            self.resources.push(self.rows());
        }
        self.service.push_times(&service, rows);
        Ok(())
    }

    fn scope_logs(&mut self, message: &[u8], stamp: Stamp<'_>) -> Result<(), Malformed> {
        let before = self.rows();
        let mut scope = Payload::default();
        let mut fields = Fields::new(message);
        while let Some(field) = fields.next_field()? {
            match field {
                (1, Wire::Bytes(inner)) => scope.add(message, 1, inner),
                (2, Wire::Bytes(inner)) => self.log_record(inner, stamp)?,
                _ => {}
            }
        }
        let (mut name, mut version): (&[u8], &[u8]) = (b"", b"");
        let mut fields = scope.fields();
        while let Some(field) = fields.next_field()? {
            match field {
                (1, Wire::Bytes(value)) => name = value,
                (2, Wire::Bytes(value)) => version = value,
                _ => {}
            }
        }
        let added = self.rows() - before;
        self.scope_name.push_times(name, added);
        self.scope_version.push_times(version, added);
        Ok(())
    }

    /// Appends the columns that differ between records.
    fn log_record(&mut self, message: &[u8], stamp: Stamp<'_>) -> Result<(), Malformed> {
        let (mut time, mut observed, mut severity, mut flags) = (0, 0, 0_i32, 0);
        let (mut severity_text, mut event_name): (&[u8], &[u8]) = (b"", b"");
        let (mut trace_id, mut span_id): (&[u8], &[u8]) = (b"", b"");
        let mut body = Payload::default();
        let mut fields = Fields::new(message);
        while let Some(field) = fields.next_field()? {
            match field {
                (1, Wire::Fixed64(value)) => time = value,
                // Protobuf enums have 32 bits.
                (2, Wire::Varint(value)) => severity = value as u32 as i32,
                (3, Wire::Bytes(value)) => severity_text = value,
                (5, Wire::Bytes(value)) => body.add(message, 5, value),
                (6, Wire::Bytes(value)) => self.attribute(value)?,
                (8, Wire::Fixed32(value)) => flags = value,
                (9, Wire::Bytes(value)) => trace_id = value,
                (10, Wire::Bytes(value)) => span_id = value,
                (11, Wire::Fixed64(value)) => observed = value,
                (12, Wire::Bytes(value)) => event_name = value,
                _ => {}
            }
        }
        if self.attributes.has_duplicates() {
            self.attributes.drop_open();
            for (key, value) in last_values(occurrences(message, 6).map(|pair| read_pair(pair?)))? {
                self.attributes.add(key, &mut self.scratch, |out| write_text(value, out))?;
            }
        }
        self.attributes.close(1);
        self.body(body, stamp.body_max_bytes)?;
        self.timestamp.push(column_time(record_time(time, observed, stamp.received_at)));
        self.observed_timestamp.push(column_time(record_time(observed, 0, stamp.received_at)));
        // Numbers outside the data model's range become 0, "unspecified". The severity text is kept.
        self.severity_number.push(if (0..=LAST_SEVERITY).contains(&severity) { severity as u8 } else { 0 });
        self.severity_text.push(severity_text);
        // By logs.proto, an id of any other length is invalid, and the record then belongs to no trace.
        self.trace_id.push(trace_id.try_into().unwrap_or_default());
        self.span_id.push(span_id.try_into().unwrap_or_default());
        self.flags.push(flags);
        self.event_name.push(event_name);
        Ok(())
    }

    #[inline]
    fn attribute(&mut self, pair: &[u8]) -> Result<(), Malformed> {
        let (key, value) = read_pair(pair)?;
        if let Some(text) = value.whole().and_then(as_plain_text) {
            self.attributes.add_text(key, text);
            return Ok(());
        }
        self.attributes.add(key, &mut self.scratch, |out| write_text(value, out))
    }

    fn body(&mut self, any_value: Payload<'_>, max_bytes: usize) -> Result<(), Malformed> {
        let text = match any_value.whole().and_then(as_plain_text) {
            Some(text) => text,
            None => {
                self.scratch.clear();
                write_text(any_value, &mut self.scratch)?;
                &self.scratch
            }
        };
        let kept = cut_utf8(text, max_bytes);
        self.body.push(kept);
        self.body_truncated_bytes.push((text.len() - kept.len()) as u32);
        Ok(())
    }
}

/// Returns the text cut to at most `max_bytes` bytes, at the border of a character.
fn cut_utf8(text: &[u8], max_bytes: usize) -> &[u8] {
    let continues = |end: usize| text.get(end).is_some_and(|byte| byte & 0xc0 == 0x80);
    let mut end = max_bytes.min(text.len());
    while continues(end) && end > 0 {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}

fn column_time(time: u64) -> i64 {
    time.min(LAST_NS) as i64
}
