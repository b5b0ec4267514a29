//! Writes length-delimited fields of protobuf whose length is known only after their value.

use crate::texts::write_varint;
use crate::wire::BYTES;

/// Begins a length-delimited field. Returns the index in `out` at which its value starts.
pub fn begin_field(number: u32, out: &mut Vec<u8>) -> usize {
    write_varint(u64::from(number << 3 | BYTES), out);
    out.push(0); // the length of a short value
    out.len()
}

/// Writes the length of the value that starts at `start` and ends at the end of `out`.
pub fn end_field(start: usize, out: &mut Vec<u8>) {
    let size = out.len() - start;
    if size < 0x80 {
        if let Some(length) = out.get_mut(start - 1) {
            *length = size as u8;
        }
        return;
    }
    let mut length = Vec::with_capacity(5);
    write_varint(size as u64, &mut length);
    out.splice(start - 1..start, length);
}
