//! Measures texts that become values of dictionaries in ClickHouse, for the limit on their length.

use crate::any_value::{read_key, read_pair, write_text};
use crate::block::SERVICE_NAME;
use crate::wire::{Fields, Malformed, Wire, occurrences};

/// Returns the number of bytes of the service name in an encoded ResourceLogs; of the longest one if there are several.
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

/// Returns the number of bytes of the scope's name in an encoded ScopeLogs, or of its version if that is longer.
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
