//! Surveys a whole export request: checks that it is well-formed, and counts its parts before rows are built.
//!
//! Source: opentelemetry/proto/{collector/logs,logs,resource,common}/v1. Fields without a column are also read if
//! protobuf's parser could refuse them.

use std::collections::BTreeSet;

use crate::added_bytes::{NULL_BYTES, added_bytes};
use crate::json_write::{escape_bytes, is_simple};
use crate::wire::{Fields, Malformed, Wire};

/// Last time that DateTime64(9) can store, in the year 2262, in nanoseconds since the Unix epoch.
pub const LAST_NS: u64 = i64::MAX as u64;

/// Nanoseconds of a UTC day.
pub const DAY_NS: u64 = 86_400 * 1_000_000_000;

/// Counts of a request. Times are nanoseconds since the Unix epoch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Survey {
    /// Number of log records.
    pub records: u64,
    /// Number of attributes of resources and records, without those of scopes, which are not stored.
    pub attributes: u64,
    /// Number of values inside arrays and maps that are stored.
    pub nested_values: u64,
    /// Number of attributes of scopes, which have no column.
    pub scope_attributes: u64,
    /// Number of resources, scopes and entities, including those without records.
    pub groups: u64,
    /// Number of texts that are not UTF-8.
    pub invalid_texts: u64,
    /// Number of bytes by which texts in rows are longer than the values in protobuf: by JSON escapes inside arrays and
    /// maps, and by numbers, booleans, bytes and empty values that are longer as texts. Scopes do not count.
    pub encoding_bytes: u64,
    /// Approximate bytes of all rows, each of which repeats its resource and scope, with `encoding_bytes`.
    pub row_bytes: u64,
    /// Number of attributes of all rows, each of which repeats those of its resource.
    pub row_attributes: u64,
    /// Earliest and latest time of the records as rows have it, so at most `LAST_NS`; None without records.
    pub times: Option<(u64, u64)>,
    /// UTC days since the Unix epoch on which records fall, as the log tables count them.
    pub days: BTreeSet<u64>,
}

impl Survey {
    /// Surveys a request. Records without any time get the time of their arrival, `received_at`.
    pub fn of(request: &[u8], received_at: u64) -> Result<Self, Malformed> {
        let mut surveyor = Surveyor { survey: Survey::default(), received_at, day: None };
        let mut fields = Fields::new(request);
        while let Some(field) = fields.next_field()? {
            if let (1, Wire::Bytes(inner)) = field {
                surveyor.resource_logs(fields.within(inner)?)?;
            }
        }
        let survey = &mut surveyor.survey;
        survey.row_bytes = survey.row_bytes.saturating_add(request.len() as u64).saturating_add(survey.encoding_bytes);
        survey.row_attributes = survey.row_attributes.saturating_add(survey.attributes);
        Ok(surveyor.survey)
    }
}

struct Surveyor {
    survey: Survey,
    received_at: u64,
    day: Option<u64>,
}

impl Surveyor {
    fn resource_logs(&mut self, mut fields: Fields<'_>) -> Result<(), Malformed> {
        self.survey.groups += 1;
        let before = self.survey.records;
        let (mut resource_bytes, mut attributes, mut scope_bytes) = (0_u64, 0_u64, 0_u64);
        while let Some(field) = fields.next_field()? {
            match field {
                (1, Wire::Bytes(inner)) => {
                    let (others, others_bytes) = (self.survey.attributes, self.survey.encoding_bytes);
                    self.resource(fields.within(inner)?)?;
                    attributes += self.survey.attributes - others;
                    let bytes = inner.len() as u64 + (self.survey.encoding_bytes - others_bytes);
                    resource_bytes = resource_bytes.saturating_add(bytes);
                }
                (2, Wire::Bytes(inner)) => {
                    scope_bytes = scope_bytes.saturating_add(self.scope_logs(fields.within(inner)?)?);
                }
                (3, Wire::Bytes(schema_url)) => self.text(schema_url),
                _ => {}
            }
        }
        // Each record repeats the resource, in whichever scope the record is.
        let repeated = (self.survey.records - before).saturating_sub(1);
        let repeated_bytes = resource_bytes.saturating_mul(repeated).saturating_add(scope_bytes);
        self.survey.row_bytes = self.survey.row_bytes.saturating_add(repeated_bytes);
        let repeated_attributes = attributes.saturating_mul(repeated);
        self.survey.row_attributes = self.survey.row_attributes.saturating_add(repeated_attributes);
        Ok(())
    }

    fn resource(&mut self, mut fields: Fields<'_>) -> Result<(), Malformed> {
        while let Some(field) = fields.next_field()? {
            match field {
                (1, Wire::Bytes(inner)) => {
                    self.survey.attributes += 1;
                    self.key_value(fields.within(inner)?, false)?;
                }
                (3, Wire::Bytes(inner)) => self.entity(fields.within(inner)?)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns the number of bytes by which the scope's records repeat its name and version.
    fn scope_logs(&mut self, mut fields: Fields<'_>) -> Result<u64, Malformed> {
        self.survey.groups += 1;
        let before = self.survey.records;
        let (mut name_bytes, mut version_bytes) = (0, 0);
        while let Some(field) = fields.next_field()? {
            match field {
                (1, Wire::Bytes(inner)) => {
                    self.scope(fields.within(inner)?, &mut name_bytes, &mut version_bytes)?;
                }
                (2, Wire::Bytes(inner)) => self.log_record(fields.within(inner)?)?,
                (3, Wire::Bytes(schema_url)) => self.text(schema_url),
                _ => {}
            }
        }
        let records = (self.survey.records - before).saturating_sub(1);
        Ok(records.saturating_mul(name_bytes as u64 + version_bytes as u64))
    }

    fn scope(&mut self, mut fields: Fields<'_>, name: &mut usize, version: &mut usize) -> Result<(), Malformed> {
        while let Some(field) = fields.next_field()? {
            match field {
                (1, Wire::Bytes(value)) => {
                    self.text(value);
                    *name = value.len();
                }
                (2, Wire::Bytes(value)) => {
                    self.text(value);
                    *version = value.len();
                }
                (3, Wire::Bytes(inner)) => {
                    self.survey.scope_attributes += 1;
                    let kept = (self.survey.nested_values, self.survey.encoding_bytes);
                    self.key_value(fields.within(inner)?, false)?;
                    (self.survey.nested_values, self.survey.encoding_bytes) = kept;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn log_record(&mut self, mut fields: Fields<'_>) -> Result<(), Malformed> {
        let (mut time, mut observed) = (0, 0);
        while let Some(field) = fields.next_field()? {
            match field {
                (1, Wire::Fixed64(value)) => time = value,
                (3 | 12, Wire::Bytes(value)) => self.text(value),
                (5, Wire::Bytes(inner)) => self.any_value(fields.within(inner)?, false)?,
                (6, Wire::Bytes(inner)) => {
                    self.survey.attributes += 1;
                    self.key_value(fields.within(inner)?, false)?;
                }
                (11, Wire::Fixed64(value)) => observed = value,
                _ => {}
            }
        }
        self.survey.records += 1;
        self.count_time(record_time(time, observed, self.received_at));
        Ok(())
    }

    fn count_time(&mut self, time: u64) {
        let time = time.min(LAST_NS);
        let (oldest, newest) = self.survey.times.unwrap_or((time, time));
        self.survey.times = Some((oldest.min(time), newest.max(time)));
        let day = time / DAY_NS;
        if self.day != Some(day) {
            self.survey.days.insert(day);
            self.day = Some(day);
        }
    }

    /// Surveys a pair. Key and value are JSON if the pair is inside an array or a map.
    fn key_value(&mut self, mut fields: Fields<'_>, in_json: bool) -> Result<(), Malformed> {
        let mut is_null = in_json;
        while let Some(field) = fields.next_field()? {
            match field {
                (1, Wire::Bytes(key)) => self.value_text(key, in_json),
                (2, Wire::Bytes(inner)) => {
                    self.any_value(fields.within(inner)?, in_json)?;
                    is_null = false;
                }
                _ => {}
            }
        }
        self.survey.encoding_bytes += if is_null { NULL_BYTES } else { 0 };
        Ok(())
    }

    fn any_value(&mut self, mut fields: Fields<'_>, in_json: bool) -> Result<(), Malformed> {
        let mut is_null = in_json;
        while let Some(field) = fields.next_field()? {
            is_null &= !matches!(field, (1..=7, _)); // others are unknown, or have no value in logs
            match field {
                (1, Wire::Bytes(value)) => self.value_text(value, in_json),
                (5, Wire::Bytes(inner)) => self.nested(fields.within(inner)?, false)?,
                (6, Wire::Bytes(inner)) => self.nested(fields.within(inner)?, true)?,
                other => self.survey.encoding_bytes += added_bytes(other),
            }
        }
        self.survey.encoding_bytes += if is_null { NULL_BYTES } else { 0 };
        Ok(())
    }

    /// Surveys the values of an array, or the pairs of a map.
    fn nested(&mut self, mut fields: Fields<'_>, is_map: bool) -> Result<(), Malformed> {
        while let Some(field) = fields.next_field()? {
            if let (1, Wire::Bytes(inner)) = field {
                self.survey.nested_values += 1;
                let inner = fields.within(inner)?;
                if is_map { self.key_value(inner, true)? } else { self.any_value(inner, true)? }
            }
        }
        Ok(())
    }

    fn entity(&mut self, mut fields: Fields<'_>) -> Result<(), Malformed> {
        self.survey.groups += 1;
        while let Some(field) = fields.next_field()? {
            if let (1..=4, Wire::Bytes(value)) = field {
                self.text(value);
            }
        }
        Ok(())
    }

    #[inline]
    fn value_text(&mut self, bytes: &[u8], in_json: bool) {
        if in_json {
            self.json_text(bytes);
        } else {
            self.text(bytes);
        }
    }

    #[inline]
    fn json_text(&mut self, bytes: &[u8]) {
        // Fast path for nearly all texts, which makes looking for escapes cost nothing.
        if !is_simple(bytes) {
            self.text(bytes);
            self.survey.encoding_bytes += escape_bytes(bytes);
        }
    }

    #[inline]
    fn text(&mut self, bytes: &[u8]) {
        if std::str::from_utf8(bytes).is_err() {
            self.survey.invalid_texts += 1;
        }
    }
}

/// Counts of one pair, as a survey has them.
#[derive(Default)]
pub struct PairCounts {
    /// Number of values inside arrays and maps.
    pub nested_values: u64,
    /// Bytes that texts of values add, as in a survey.
    pub encoding_bytes: u64,
}

impl PairCounts {
    /// Counts the parts of a well-formed KeyValue, whose key and value are JSON if it is inside an array or a map.
    pub fn of(pair: &[u8], in_json: bool) -> Result<Self, Malformed> {
        let mut surveyor = Surveyor { survey: Survey::default(), received_at: 0, day: None };
        surveyor.key_value(Fields::new(pair), in_json)?;
        let Survey { nested_values, encoding_bytes, .. } = surveyor.survey;
        Ok(Self { nested_values, encoding_bytes })
    }
}

/// Returns the time of a record: its own, otherwise the time of observation, otherwise the time of arrival.
pub fn record_time(time: u64, observed: u64, received_at: u64) -> u64 {
    [time, observed].into_iter().find(|each| *each != 0).unwrap_or(received_at)
}
