//! Counts the fields of a block's rows and their values, by tenant, cohort and quarter of an hour (a context).
//!
//! docs/decisions/0011-fields-are-counted-at-insert.md says what is counted and kept. Contexts are counted one after
//! the other, and in each context the fields one after the other, so memory is proportional to the bytes of the
//! messages. Every order follows from the rows, so equal rows have equal counts:
//! docs/decisions/0034-the-loader-counts-fields.md.

use std::collections::HashMap;

use crate::block::Block;
use crate::columns::Dictionary;
use crate::entries::Entries;
use crate::field_rows::{Context, FieldRows};
use crate::tally::{LONGEST, Tally, keep};

/// Largest number of fields kept per context in one block. It applies to the attributes, and once more to the fields of
/// records and resources together. The most frequent ones are kept.
const MAX_FIELDS: usize = 1_000;

const NS_PER_SECOND: i64 = 1_000_000_000;

/// Names of the ranges of severity numbers. Each range has four numbers; the first begins at 1.
const SEVERITIES: [&[u8]; 6] = [b"trace", b"debug", b"info", b"warn", b"error", b"fatal"];

/// Column of a field's source.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The record's attributes.
    Attributes,
    /// The record's own fields.
    Record,
    /// The attributes of the record's resource.
    Resource,
}

/// A field of one context, and its number of records. `number` says where its values are.
pub struct Field<'a> {
    /// Name of the field.
    pub name: &'a [u8],
    /// Number of records with the field.
    pub total: u64,
    /// Part of the record that has the field.
    pub source: Source,
    /// Index of the field's group of entries, or of the record's own field.
    pub number: u32,
}

/// Values, each with its number of records.
type Values<'a> = Vec<(u64, &'a [u8])>;

impl Block {
    /// Returns the counts of all rows. Rows of the same `bucket_seconds` are counted together.
    pub fn field_counts(&self, bucket_seconds: u32) -> FieldRows {
        let mut counts = FieldRows::default();
        let mut attributes = Entries::new(&self.attributes, None);
        let mut resources = Entries::new(&self.resource, Some(&self.resources));
        let mut own = Numbers::default();
        let mut tally = Tally::default();
        let (contexts, rows) = self.contexts(bucket_seconds.max(1));
        for (context, end) in &contexts {
            // Counting a context takes time for each name of its resource. A small message may have 100,000 contexts.
            if counts.is_full(context.tenant_id) {
                continue;
            }
            let rows = rows.get(end - context.rows..*end).unwrap_or_default();
            let mut own_values = self.own_values(rows, &mut own);
            let mut fields = own_fields(&own_values);
            fields.extend(resources.count(rows, Source::Resource));
            let fields = most_frequent(fields);
            resources.place(&fields, Source::Resource);
            for field in &fields {
                let values = match (field.source, own_values.get_mut(field.number as usize)) {
                    (Source::Record, Some((_, values, _))) => keep(std::mem::take(values), true, field.total),
                    _ => resources.kept(field, &mut tally),
                };
                counts.add(context, field, &values);
            }
            let fields = most_frequent(attributes.count(rows, Source::Attributes));
            attributes.place(&fields, Source::Attributes);
            for field in &fields {
                let values = attributes.kept(field, &mut tally);
                counts.add(context, field, &values);
            }
        }
        counts
    }

    /// Returns the contexts in the order of their first rows, and the indexes of all rows, sorted by context. Each
    /// context comes with the index after its last row in that list.
    fn contexts(&self, bucket_seconds: u32) -> (Vec<(Context<'_>, usize)>, Vec<u32>) {
        let mut contexts: Vec<(Context<'_>, usize)> = Vec::new();
        let mut numbers: HashMap<(u32, u32, u32), usize> = HashMap::new();
        let mut of_rows: Vec<u32> = Vec::with_capacity(self.rows());
        let mut before = None;
        for ((tenant_id, cohort), timestamp) in self.tenant_id.iter().zip(self.cohort.rows()).zip(&self.timestamp) {
            let seconds = u32::try_from(timestamp / NS_PER_SECOND).unwrap_or(u32::MAX);
            let key = (*tenant_id, *cohort, seconds - seconds % bucket_seconds);
            let number = match before {
                Some((same, number)) if same == key => number,
                _ => *numbers.entry(key).or_insert_with(|| {
                    let cohort = self.cohort.text(*cohort).unwrap_or_default();
                    contexts.push((Context { tenant_id: *tenant_id, cohort, bucket: key.2, rows: 0 }, 0));
                    contexts.len() - 1
                }),
            };
            if let Some((context, _)) = contexts.get_mut(number) {
                context.rows += 1;
            }
            of_rows.push(number as u32);
            before = Some((key, number));
        }
        let mut place = 0;
        for (context, end) in &mut contexts {
            *end = place;
            place += context.rows;
        }
        let mut rows = vec![0; of_rows.len()];
        for (row, number) in of_rows.iter().enumerate() {
            if let Some((_, end)) = contexts.get_mut(*number as usize) {
                if let Some(place) = rows.get_mut(*end) {
                    *place = row as u32;
                }
                *end += 1;
            }
        }
        (contexts, rows)
    }

    /// Returns the counted fields of the record itself, each with its values and its number of records. A record with
    /// an empty text does not have the field.
    fn own_values(&self, rows: &[u32], numbers: &mut Numbers) -> [(&'static [u8], Values<'_>, u64); 6] {
        let severity = self.severities(rows);
        let mut of = |column| numbers.values(column, rows);
        let fields: [(&'static [u8], Values<'_>); 6] = [
            (b"service", of(&self.service)),
            (b"severity", severity),
            (b"severity_text", of(&self.severity_text)),
            (b"event_name", of(&self.event_name)),
            (b"scope.name", of(&self.scope_name)),
            (b"scope.version", of(&self.scope_version)),
        ];
        fields.map(|(name, mut values)| {
            let total = values.iter().map(|(records, _)| records).sum();
            values.retain(|(_, text)| text.len() <= LONGEST);
            (name, values, total)
        })
    }

    fn severities(&self, rows: &[u32]) -> Values<'static> {
        // Numbers 1 to 24 are in ranges 1 to 6; 0 is in no range.
        let mut records = [0; SEVERITIES.len() + 1];
        for number in rows.iter().filter_map(|row| self.severity_number.get(*row as usize)) {
            if let Some(records) = records.get_mut(usize::from(*number).div_ceil(4)) {
                *records += 1;
            }
        }
        records.into_iter().skip(1).zip(SEVERITIES).filter(|(records, _)| *records > 0).collect()
    }
}

fn own_fields(values: &[(&'static [u8], Values<'_>, u64)]) -> Vec<Field<'static>> {
    let fields = values.iter().zip(0..);
    let fields = fields.map(|((name, _, total), number)| Field { name, total: *total, source: Source::Record, number });
    fields.filter(|field| field.total > 0).collect()
}

/// Returns the fields to keep, most frequent first, then by name.
fn most_frequent(mut fields: Vec<Field<'_>>) -> Vec<Field<'_>> {
    let order = |one: &Field<'_>, other: &Field<'_>| {
        other.total.cmp(&one.total).then_with(|| (one.name, one.source).cmp(&(other.name, other.source)))
    };
    fields.retain(|field| field.name.len() <= LONGEST);
    if fields.len() > MAX_FIELDS {
        fields.select_nth_unstable_by(MAX_FIELDS, order);
        fields.truncate(MAX_FIELDS);
    }
    fields.sort_unstable_by(order);
    fields
}

/// Counts rows by the numbers of their texts, for one dictionary after the other.
#[derive(Default)]
struct Numbers {
    /// Number of rows of each text. All are 0 between two counts.
    records: Vec<u64>,
    found: Vec<u32>,
}

impl Numbers {
    /// Returns the texts of these rows, without the empty one.
    fn values<'a>(&mut self, column: &'a Dictionary, rows: &[u32]) -> Values<'a> {
        if self.records.len() < column.size() {
            self.records.resize(column.size(), 0);
        }
        for number in rows.iter().filter_map(|row| column.rows().get(*row as usize)) {
            if let Some(records) = self.records.get_mut(*number as usize) {
                if *records == 0 {
                    self.found.push(*number);
                }
                *records += 1;
            }
        }
        let counted = self.found.drain(..).filter_map(|number| {
            let records = std::mem::take(self.records.get_mut(number as usize)?);
            column.text(number).filter(|text| !text.is_empty()).map(|text| (records, text))
        });
        counted.collect()
    }
}
