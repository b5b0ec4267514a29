//! Defines the fields of OTLP's messages by their names in JSON.
//!
//! Source: opentelemetry/proto/{collector/logs,logs,resource,common}/v1; protobuf's JSON mapping, which allows a
//! field's name in camelCase and as in the proto file. A Python test compares this with the protocol's descriptors.

use crate::otlp_texts::Kind;

/// Type of a field's value in JSON and in protobuf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Type {
    Text,
    /// Base64 in the standard or URL-safe alphabet, padded or not.
    Bytes,
    /// Hexadecimal digits, which OTLP uses for trace and span ids instead of base64.
    Id,
    Bool,
    Double,
    Int32,
    Int64,
    Uint32,
    Fixed32,
    Fixed64,
    /// A number, or the name of a SeverityNumber.
    Severity,
    Message(Kind),
}

/// One field. With `is_choice`, it is a member of a oneof: at most one is set, and it is written even if it is empty.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Field {
    pub number: u32,
    pub name: &'static str,
    pub kind: Type,
    pub is_repeated: bool,
    pub is_choice: bool,
}

/// Largest field number of all messages.
pub const MAX_NUMBER: usize = 12;

/// Returns the field with this name; None for an unknown name.
#[rustfmt::skip]
pub fn field(message: Kind, name: &str) -> Option<Field> {
    use Type::{Bool, Bytes, Double, Fixed32, Fixed64, Id, Int32, Int64, Message, Severity, Text, Uint32};
    Some(match (message, name) {
        (Kind::Request, "resourceLogs" | "resource_logs") => many(1, "resourceLogs", Message(Kind::ResourceLogs)),
        (Kind::ResourceLogs, "resource") => one(1, "resource", Message(Kind::Resource)),
        (Kind::ResourceLogs, "scopeLogs" | "scope_logs") => many(2, "scopeLogs", Message(Kind::ScopeLogs)),
        (Kind::Resource, "attributes") => many(1, "attributes", Message(Kind::KeyValue)),
        (Kind::Resource, "droppedAttributesCount" | "dropped_attributes_count") => {
            one(2, "droppedAttributesCount", Uint32)
        }
        (Kind::Resource, "entityRefs" | "entity_refs") => many(3, "entityRefs", Message(Kind::Entity)),
        (Kind::ScopeLogs, "scope") => one(1, "scope", Message(Kind::Scope)),
        (Kind::ScopeLogs, "logRecords" | "log_records") => many(2, "logRecords", Message(Kind::Record)),
        (Kind::ResourceLogs | Kind::ScopeLogs, "schemaUrl" | "schema_url") => one(3, "schemaUrl", Text),
        (Kind::Scope, "name") => one(1, "name", Text),
        (Kind::Scope, "version") => one(2, "version", Text),
        (Kind::Scope, "attributes") => many(3, "attributes", Message(Kind::KeyValue)),
        (Kind::Scope, "droppedAttributesCount" | "dropped_attributes_count") => {
            one(4, "droppedAttributesCount", Uint32)
        }
        (Kind::Record, "timeUnixNano" | "time_unix_nano") => one(1, "timeUnixNano", Fixed64),
        (Kind::Record, "observedTimeUnixNano" | "observed_time_unix_nano") => one(11, "observedTimeUnixNano", Fixed64),
        (Kind::Record, "severityNumber" | "severity_number") => one(2, "severityNumber", Severity),
        (Kind::Record, "severityText" | "severity_text") => one(3, "severityText", Text),
        (Kind::Record, "body") => one(5, "body", Message(Kind::AnyValue)),
        (Kind::Record, "attributes") => many(6, "attributes", Message(Kind::KeyValue)),
        (Kind::Record, "droppedAttributesCount" | "dropped_attributes_count") => {
            one(7, "droppedAttributesCount", Uint32)
        }
        (Kind::Record, "flags") => one(8, "flags", Fixed32),
        (Kind::Record, "traceId" | "trace_id") => one(9, "traceId", Id),
        (Kind::Record, "spanId" | "span_id") => one(10, "spanId", Id),
        (Kind::Record, "eventName" | "event_name") => one(12, "eventName", Text),
        (Kind::KeyValue, "key") => one(1, "key", Text),
        (Kind::KeyValue, "value") => one(2, "value", Message(Kind::AnyValue)),
        (Kind::KeyValue, "keyStrindex" | "key_strindex") => one(3, "keyStrindex", Int32),
        (Kind::AnyValue, "stringValue" | "string_value") => choice(1, "stringValue", Text),
        (Kind::AnyValue, "boolValue" | "bool_value") => choice(2, "boolValue", Bool),
        (Kind::AnyValue, "intValue" | "int_value") => choice(3, "intValue", Int64),
        (Kind::AnyValue, "doubleValue" | "double_value") => choice(4, "doubleValue", Double),
        (Kind::AnyValue, "arrayValue" | "array_value") => choice(5, "arrayValue", Message(Kind::Array)),
        (Kind::AnyValue, "kvlistValue" | "kvlist_value") => choice(6, "kvlistValue", Message(Kind::Map)),
        (Kind::AnyValue, "bytesValue" | "bytes_value") => choice(7, "bytesValue", Bytes),
        (Kind::AnyValue, "stringValueStrindex" | "string_value_strindex") => choice(8, "stringValueStrindex", Int32),
        (Kind::Array, "values") => many(1, "values", Message(Kind::AnyValue)),
        (Kind::Map, "values") => many(1, "values", Message(Kind::KeyValue)),
        (Kind::Entity, "schemaUrl" | "schema_url") => one(1, "schemaUrl", Text),
        (Kind::Entity, "type") => one(2, "type", Text),
        (Kind::Entity, "idKeys" | "id_keys") => many(3, "idKeys", Text),
        (Kind::Entity, "descriptionKeys" | "description_keys") => many(4, "descriptionKeys", Text),
        _ => return None,
    })
}

/// Returns the number of a SeverityNumber by its name in the protocol, such as SEVERITY_NUMBER_INFO2.
pub fn severity(name: &str) -> Option<i64> {
    let name = name.strip_prefix("SEVERITY_NUMBER_")?;
    if name == "UNSPECIFIED" {
        return Some(0);
    }
    let (level, step) = match name.split_at_checked(name.len().saturating_sub(1))? {
        (level, "2") => (level, 1),
        (level, "3") => (level, 2),
        (level, "4") => (level, 3),
        _ => (name, 0),
    };
    let levels = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"];
    let at = levels.iter().position(|each| *each == level)?;
    Some(at as i64 * 4 + 1 + step)
}

fn one(number: u32, name: &'static str, kind: Type) -> Field {
    Field { number, name, kind, is_repeated: false, is_choice: false }
}

fn many(number: u32, name: &'static str, kind: Type) -> Field {
    Field { is_repeated: true, ..one(number, name, kind) }
}

fn choice(number: u32, name: &'static str, kind: Type) -> Field {
    Field { is_choice: true, ..one(number, name, kind) }
}
