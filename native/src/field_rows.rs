//! Rows of a fields table (schema/clickhouse/fields_rollup.py), and their block in ClickHouse's Native format.

use std::collections::{HashMap, HashSet};

use crate::columns::Dictionary;
use crate::field_counts::{Field, Source};
use crate::native::{WORD, write_low_cardinality};
use crate::texts::{Texts, write_text, write_varint};

/// Largest number of bytes of all rows of a block, and of one tenant's rows in it. A small message may cause many
/// counts: those of its resource in each quarter of an hour.
const MAX_BYTES: usize = 64 << 20;
const MAX_BYTES_OF_TENANT: usize = 16 << 20;

/// Number of bytes of a row without its texts.
const ROW_BYTES: usize = 32;

const KIND_FIELD: u8 = 0;
const KIND_VALUE: u8 = 1;
const KIND: &str = "Enum8('field' = 0, 'value' = 1)";

/// Rows of a block that are counted together.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Number of the tenant.
    pub tenant_id: u32,
    /// Cohort of the tenant.
    pub cohort: &'a [u8],
    /// Beginning of the quarter of an hour, in seconds since the Unix epoch.
    pub bucket: u32,
    /// Number of the rows.
    pub rows: usize,
}

/// The columns of a fields table, all with the same number of rows.
#[derive(Default)]
pub struct FieldRows {
    tenant_id: Vec<u32>,
    cohort: Dictionary,
    source: Dictionary,
    kind: Vec<u8>,
    field: Texts,
    bucket: Vec<u32>,
    value: Texts,
    records: Vec<u64>,
    bytes: usize,
    bytes_of_tenants: HashMap<u32, usize>,
    /// True if rows were left out because all rows together would have become too large.
    full: bool,
    /// Tenants of which rows were left out.
    full_tenants: HashSet<u32>,
}

impl FieldRows {
    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.records.len()
    }

    /// Returns true if no further rows of the tenant are added, because some were left out before.
    pub fn is_full(&self, tenant_id: u32) -> bool {
        self.full || self.full_tenants.contains(&tenant_id)
    }

    /// Adds a field and its values. Leaves them out if the rows of the tenant, or all rows, would become too large or
    /// have become so before.
    pub fn add(&mut self, context: &Context<'_>, field: &Field<'_>, values: &[(u64, &[u8])]) {
        let texts: usize = values.iter().map(|(_, text)| text.len()).sum();
        let bytes = (values.len() + 1) * (field.name.len() + ROW_BYTES) + texts;
        let of_tenant = self.bytes_of_tenants.entry(context.tenant_id).or_default();
        if *of_tenant + bytes > MAX_BYTES_OF_TENANT {
            self.full_tenants.insert(context.tenant_id);
        }
        self.full |= self.bytes + bytes > MAX_BYTES;
        if self.full || self.full_tenants.contains(&context.tenant_id) {
            return;
        }
        *of_tenant += bytes;
        self.bytes += bytes;
        self.push(context, field, KIND_FIELD, b"", field.total);
        for (records, text) in values {
            self.push(context, field, KIND_VALUE, text, *records);
        }
    }

    fn push(&mut self, context: &Context<'_>, field: &Field<'_>, kind: u8, value: &[u8], records: u64) {
        self.tenant_id.push(context.tenant_id);
        self.cohort.push(context.cohort);
        self.source.push(match field.source {
            Source::Attributes => b"attributes",
            Source::Record => b"record",
            Source::Resource => b"resource",
        });
        self.kind.push(kind);
        self.field.push(field.name);
        self.bucket.push(context.bucket);
        self.value.push(value);
        self.records.push(records);
    }

    /// Returns the rows as a block in Native format, with columns of these names and types. Fails with the first name
    /// and type that no column has.
    pub fn native(&self, columns: &[(String, String)]) -> Result<Vec<u8>, String> {
        let mut out = Vec::with_capacity(self.bytes + 1024);
        write_varint(columns.len() as u64, &mut out);
        write_varint(self.rows() as u64, &mut out);
        for (name, type_name) in columns {
            write_text(name.as_bytes(), &mut out);
            write_text(type_name.as_bytes(), &mut out);
            match (name.as_str(), type_name.as_str()) {
                ("tenant_id", "UInt32") => out.extend(self.tenant_id.iter().flat_map(|each| each.to_le_bytes())),
                ("cohort", WORD) => write_low_cardinality(&self.cohort, &mut out),
                ("source", WORD) => write_low_cardinality(&self.source, &mut out),
                ("kind", KIND) => out.extend_from_slice(&self.kind),
                ("field", "String") => out.extend_from_slice(self.field.kept()),
                ("bucket", "DateTime('UTC')") => out.extend(self.bucket.iter().flat_map(|each| each.to_le_bytes())),
                ("value", "String") => out.extend_from_slice(self.value.kept()),
                ("records", "UInt64") => out.extend(self.records.iter().flat_map(|each| each.to_le_bytes())),
                _ => return Err(format!("{name} {type_name}")),
            }
        }
        Ok(out)
    }
}
