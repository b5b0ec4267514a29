//! Collects changes of an encoded message, and writes the changed message in one pass.

use crate::texts::write_varint;
use crate::wire::{BYTES, Encoded};

/// Tag, length and content of a KeyValue's value, if the value is the text `***`.
const MASKED: &[u8] = b"\x12\x05\x0a\x03***";

/// Bytes that replace others.
enum With<'a> {
    /// Nothing.
    Nothing,
    /// Tag and length of a message with this field number and size.
    Header(u32, usize),
    /// A KeyValue with this field number and this key, whose value is masked.
    Masked(u32, &'a [u8]),
}

struct Edit<'a> {
    start: usize,
    end: usize,
    with: With<'a>,
}

/// Changes of one encoded message, in the order of their positions.
pub struct Edits<'a> {
    source: &'a [u8],
    edits: Vec<Edit<'a>>,
    /// Number of bytes by which all changes so far make the message longer.
    grown: isize,
}

/// A nested message that is being changed.
pub struct Open {
    index: usize,
    grown: isize,
}

impl<'a> Edits<'a> {
    /// Starts without changes.
    pub fn new(source: &'a [u8]) -> Self {
        Edits { source, edits: Vec::new(), grown: 0 }
    }

    /// Returns true if nothing is changed.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Returns the number of bytes by which all changes so far make the message longer.
    pub fn grown(&self) -> isize {
        self.grown
    }

    /// Leaves out a field.
    pub fn remove(&mut self, field: &Encoded<'a>) {
        let start = self.place(field.bytes);
        self.add(start, start + field.bytes.len(), With::Nothing);
    }

    /// Replaces a field that is a KeyValue by one with this key and a masked value.
    pub fn mask(&mut self, field: &Encoded<'a>, key: &'a [u8]) {
        let start = self.place(field.bytes);
        self.add(start, start + field.bytes.len(), With::Masked(field.number, key));
    }

    /// Begins a nested message: edits until `close` apply to its content.
    pub fn open(&mut self) -> Open {
        self.edits.push(Edit { start: 0, end: 0, with: With::Nothing });
        Open { index: self.edits.len() - 1, grown: self.grown }
    }

    /// Ends the nested message that is the content of this field, and notes its new size if its content changed.
    /// Returns the number of bytes by which the content becomes longer.
    pub fn close(&mut self, open: Open, field: &Encoded<'a>, content: &'a [u8]) -> isize {
        if self.edits.len() == open.index + 1 {
            self.edits.truncate(open.index);
            return 0;
        }
        let grown = self.grown - open.grown;
        let size = content.len().saturating_add_signed(grown);
        let edit =
            Edit { start: self.place(field.bytes), end: self.place(content), with: With::Header(field.number, size) };
        self.grown += edit.growth();
        if let Some(reserved) = self.edits.get_mut(open.index) {
            *reserved = edit;
        }
        grown
    }

    /// Returns the message with all changes.
    pub fn written(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.source.len().saturating_add_signed(self.grown));
        let mut done = 0;
        for edit in &self.edits {
            out.extend_from_slice(self.source.get(done..edit.start).unwrap_or_default());
            edit.with.write(&mut out);
            done = edit.end;
        }
        out.extend_from_slice(self.source.get(done..).unwrap_or_default());
        out
    }

    fn add(&mut self, start: usize, end: usize, with: With<'a>) {
        let edit = Edit { start, end, with };
        self.grown += edit.growth();
        self.edits.push(edit);
    }

    /// Returns the index in the source at which a part of it begins.
    fn place(&self, part: &[u8]) -> usize {
        part.as_ptr().addr() - self.source.as_ptr().addr()
    }
}

impl Edit<'_> {
    fn growth(&self) -> isize {
        self.with.size() as isize - (self.end - self.start) as isize
    }
}

impl With<'_> {
    fn size(&self) -> usize {
        match self {
            With::Nothing => 0,
            With::Header(number, size) => varint_size(tag(*number)) + varint_size(*size as u64),
            With::Masked(number, key) => {
                let content = masked_size(key);
                varint_size(tag(*number)) + varint_size(content as u64) + content
            }
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            With::Nothing => {}
            With::Header(number, size) => {
                write_varint(tag(*number), out);
                write_varint(*size as u64, out);
            }
            With::Masked(number, key) => {
                write_varint(tag(*number), out);
                write_varint(masked_size(key) as u64, out);
                write_varint(tag(1), out);
                write_varint(key.len() as u64, out);
                out.extend_from_slice(key);
                out.extend_from_slice(MASKED);
            }
        }
    }
}

fn tag(number: u32) -> u64 {
    u64::from(number << 3 | BYTES)
}

fn masked_size(key: &[u8]) -> usize {
    1 + varint_size(key.len() as u64) + key.len() + MASKED.len()
}

fn varint_size(number: u64) -> usize {
    (u64::BITS - number.leading_zeros()).max(1).div_ceil(7) as usize
}
