//! Converts OTLP log exports, the bytes of Kafka messages, to rows of a ClickHouse table, as a block in Native format.
//!
//! The rows are a pure function of the bytes and the stamp. Exactly-once delivery depends on this.

mod added_bytes;
#[cfg(feature = "python")]
mod admission;
pub mod admit;
pub mod any_value;
pub mod attribute_rules;
pub mod block;
pub mod bodies;
pub mod chunks;
pub mod column_texts;
pub mod columns;
pub mod double;
pub mod edits;
pub mod entries;
pub mod field_counts;
pub mod field_rows;
pub mod filter;
pub mod folding;
pub mod free_names;
pub mod invalid_utf8;
pub mod json_fields;
pub mod json_limits;
pub mod json_scalars;
pub mod json_text;
pub mod json_write;
#[cfg(feature = "python")]
mod lists;
pub mod long_match;
mod luhn;
pub mod names;
pub mod native;
mod nested_rules;
pub mod otlp_json;
pub mod otlp_texts;
mod part_names;
pub mod pattern_tokens;
pub mod patterns;
pub mod pieces;
#[cfg(feature = "python")]
mod python;
pub mod record_json;
pub mod redact;
pub mod refused;
pub mod rule_trie;
pub mod survey;
pub mod tally;
pub mod texts;
pub mod token_numbers;
pub mod wire;
pub mod write_field;
