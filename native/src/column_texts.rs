//! Measures texts that become values of dictionaries in ClickHouse, for the limit on their length.

use crate::any_value::{read_key, read_pair, write_text};
use crate::block::SERVICE_NAME;
use crate::wire::{Fields, Malformed, Wire, occurrences};

/// Returns the bytes of the service name of the message around a resource, or of the longest one if it has several.
pub fn service_bytes(resource_logs: &[u8]) -> Result<usize, Malformed> {
    let (mut longest, mut text) = (0, Vec::new());
    for resource in occurrences(resource_logs, 1) {
        for pair in occurrences(resource?, 1) {
            let pair = pair?;
            if read_key(pair)? == SERVICE_NAME {
                text.clear();
                write_text(read_pair(pair)?.1, &mut text)?;
                longest = longest.max(text.len());
            }
        }
    }
    Ok(longest)
}

/// Returns the bytes of a scope's name or version, whichever is longer. The argument is the message around the scope.
pub fn scope_bytes(scope_logs: &[u8]) -> Result<usize, Malformed> {
    let (mut name, mut version) = (0, 0);
    for scope in occurrences(scope_logs, 1) {
        let mut fields = Fields::new(scope?);
        while let Some(field) = fields.next_field()? {
            match field {
                (1, Wire::Bytes(value)) => name = value.len(),
                (2, Wire::Bytes(value)) => version = value.len(),
                _ => {}
            }
        }
    }
    Ok(name.max(version))
}
