//! Writes a block's columns in ClickHouse's Native format.
//!
//! Sources: ClickHouse documentation, "Native format"; SerializationLowCardinality.cpp and SerializationMap.cpp.

use crate::block::Block;
use crate::columns::{Dictionary, Maps};
use crate::texts::{Texts, write_text, write_varint};

const LOW_CARDINALITY_VERSION: u64 = 1;
const HAS_ADDITIONAL_KEYS: u64 = 1 << 9;

/// Type of a column of texts of which many are equal.
pub const WORD: &str = "LowCardinality(String)";
const MAP: &str = "Map(LowCardinality(String), String)";
const TIME: &str = "DateTime64(9, 'UTC')";

impl Block {
    /// Appends a column's header and its rows, but not the texts that `texts` returns. Returns false if there is no
    /// column with this name and type, because the bytes would be read as values of another type.
    pub fn write_head(&self, name: &str, type_name: &str, out: &mut Vec<u8>) -> bool {
        write_text(name.as_bytes(), out);
        write_text(type_name.as_bytes(), out);
        match (name, type_name) {
            ("tenant_id", "UInt32") => out.extend(self.tenant_id.iter().flat_map(|each| each.to_le_bytes())),
            ("cohort", WORD) => write_low_cardinality(&self.cohort, out),
            ("timestamp", TIME) => out.extend(self.timestamp.iter().flat_map(|each| each.to_le_bytes())),
            ("id", "UInt128") => out.extend(self.id.iter().flat_map(|each| each.to_le_bytes())),
            ("observed_timestamp", TIME) => {
                out.extend(self.observed_timestamp.iter().flat_map(|each| each.to_le_bytes()))
            }
            ("severity_number", "UInt8") => out.extend_from_slice(&self.severity_number),
            ("severity_text", WORD) => write_low_cardinality(&self.severity_text, out),
            ("service", WORD) => write_low_cardinality(&self.service, out),
            ("body" | "record_json", "String") => {}
            ("body_truncated_bytes", "UInt32") => {
                out.extend(self.body_truncated_bytes.iter().flat_map(|each| each.to_le_bytes()))
            }
            ("attributes", MAP) => write_map(&self.attributes, out),
            ("attribute_types", WORD) => write_low_cardinality(&self.attributes.letters, out),
            ("resource", MAP) => write_map(&self.resource, out),
            ("resource_types", WORD) => write_low_cardinality(&self.resource.letters, out),
            ("scope_name", WORD) => write_low_cardinality(&self.scope_name, out),
            ("scope_version", WORD) => write_low_cardinality(&self.scope_version, out),
            ("trace_id", "FixedString(16)") => out.extend_from_slice(self.trace_id.as_flattened()),
            ("span_id", "FixedString(8)") => out.extend_from_slice(self.span_id.as_flattened()),
            ("flags", "UInt32") => out.extend(self.flags.iter().flat_map(|each| each.to_le_bytes())),
            ("event_name", WORD) => write_low_cardinality(&self.event_name, out),
            _ => return false,
        }
        true
    }

    /// Returns the texts at the end of a column; None for bodies and for columns without texts.
    pub fn texts(&self, name: &str) -> Option<&Texts> {
        match name {
            "attributes" => Some(&self.attributes.values),
            "resource" => Some(&self.resource.values),
            _ => None,
        }
    }

    /// Appends the block's header, which comes before the columns.
    pub fn write_header(&self, columns: usize, out: &mut Vec<u8>) {
        write_varint(columns as u64, out);
        write_varint(self.rows() as u64, out);
    }
}

/// Appends a LowCardinality(String) column.
pub fn write_low_cardinality(column: &Dictionary, out: &mut Vec<u8>) {
    out.extend(LOW_CARDINALITY_VERSION.to_le_bytes());
    write_dictionary(column, out);
}

/// Appends a map column without its values.
fn write_map(column: &Maps, out: &mut Vec<u8>) {
    out.extend(LOW_CARDINALITY_VERSION.to_le_bytes());
    out.extend(column.ends.iter().flat_map(|end| end.to_le_bytes()));
    write_dictionary(&column.keys, out);
}

/// Appends the distinct texts, and each row's number in the smallest integer type that fits. Appends nothing without
/// rows.
fn write_dictionary(column: &Dictionary, out: &mut Vec<u8>) {
    if column.rows().is_empty() {
        return;
    }
    let index_type = match column.size() {
        0..=0x100 => 0_u64,
        0x101..=0x1_0000 => 1,
        _ => 2,
    };
    out.extend((HAS_ADDITIONAL_KEYS | index_type).to_le_bytes());
    out.extend((column.size() as u64).to_le_bytes());
    out.extend_from_slice(column.native_distinct());
    out.extend((column.rows().len() as u64).to_le_bytes());
    match index_type {
        0 => out.extend(column.rows().iter().map(|number| *number as u8)),
        1 => out.extend(column.rows().iter().flat_map(|number| (*number as u16).to_le_bytes())),
        _ => out.extend(column.rows().iter().flat_map(|number| number.to_le_bytes())),
    }
}
