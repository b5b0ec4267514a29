//! Reads protobuf's wire format, exactly as strictly as protobuf's own parser (upb).

use std::fmt;

/// Largest depth of nested messages and groups: upb's default.
pub const MAX_DEPTH: u32 = 100;

/// Wire type of a number as a varint.
pub const VARINT: u32 = 0;
/// Wire type of a number of 8 bytes.
pub const FIXED64: u32 = 1;
/// Wire type of bytes after their length: texts and messages.
pub const BYTES: u32 = 2;
/// Wire type of a number of 4 bytes.
pub const FIXED32: u32 = 5;

/// Smallest valid tag: that of field 1 with wire type 0.
const SMALLEST_TAG: u8 = 1 << 3;

const GROUP_START: u32 = 3;
const GROUP_END: u32 = 4;

const MAX_VARINT_BYTES: usize = 10;
const MAX_SHORT_VARINT_BYTES: usize = 5;

/// Reason why bytes are not a valid message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// A value extends beyond the end of its message.
    Truncated,
    /// A varint, tag or length has more bytes or bits than allowed.
    Varint,
    /// A field number is 0, a wire type is unknown, or a group has no beginning or no end.
    Tag,
    /// Messages are nested more than MAX_DEPTH deep.
    TooDeep,
    /// Text is not UTF-8.
    Utf8,
}

impl fmt::Display for Malformed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Malformed::Truncated => "it ends within a value",
            Malformed::Varint => "a number or length in it is too long",
            Malformed::Tag => "a field in it has no valid tag",
            Malformed::TooDeep => "messages are nested too deeply",
            Malformed::Utf8 => "a text in it is not UTF-8",
        })
    }
}

/// Value of one field. Groups are skipped, because OTLP has none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wire<'a> {
    /// Wire type 0, with all 64 bits.
    Varint(u64),
    /// Wire type 1.
    Fixed64(u64),
    /// Wire type 5.
    Fixed32(u32),
    /// Wire type 2: text, bytes or a message.
    Bytes(&'a [u8]),
}

/// Number and value of a field, and the bytes that encode it.
pub type EncodedField<'a> = (Option<(u32, Wire<'a>)>, &'a [u8]);

/// A field, and the bytes that encode it.
#[derive(Clone, Copy)]
pub struct Encoded<'a> {
    /// Number of the field.
    pub number: u32,
    /// Its value.
    pub value: Wire<'a>,
    /// Its tag, its length if it has one, and its content.
    pub bytes: &'a [u8],
}

/// Iterates over the fields of one message, in their order.
#[derive(Clone, Copy)]
pub struct Fields<'a> {
    rest: &'a [u8],
    depth: u32,
}

impl<'a> Fields<'a> {
    /// Reads an outermost message, or one that is known to be well-formed.
    pub fn new(message: &'a [u8]) -> Self {
        Fields { rest: message, depth: MAX_DEPTH }
    }

    /// Reads a message inside this one. Fails if it is nested too deeply.
    pub fn within(&self, message: &'a [u8]) -> Result<Self, Malformed> {
        let depth = self.depth.checked_sub(1).ok_or(Malformed::TooDeep)?;
        Ok(Fields { rest: message, depth })
    }

    /// Returns the next field's number and value; None at the end of the message.
    #[inline]
    pub fn next_field(&mut self) -> Result<Option<(u32, Wire<'a>)>, Malformed> {
        match self.short_bytes() {
            Some((number, value)) => Ok(Some((number, Wire::Bytes(value)))),
            None => self.any_field(),
        }
    }

    /// Returns the next field if it is text, bytes or a message, and its tag and its length have one byte each, like
    /// nearly all fields. Otherwise returns None and reads nothing.
    #[inline(always)]
    fn short_bytes(&mut self) -> Option<(u32, &'a [u8])> {
        let [tag @ SMALLEST_TAG..=0x7f, size @ 0..=0x7f, rest @ ..] = self.rest else { return None };
        if u32::from(*tag) & 7 != BYTES {
            return None;
        }
        let (value, rest) = rest.split_at_checked(usize::from(*size))?;
        self.rest = rest;
        Some((u32::from(*tag) >> 3, value))
    }

    fn any_field(&mut self) -> Result<Option<(u32, Wire<'a>)>, Malformed> {
        while !self.rest.is_empty() {
            let (number, wire_type) = self.tag()?;
            match wire_type {
                GROUP_START => self.skip_group(number)?,
                _ => return Ok(Some((number, self.value(wire_type)?))),
            }
        }
        Ok(None)
    }

    /// Returns the next field with the bytes that encode it; None at the end of the message.
    #[inline]
    pub fn next_encoded_field(&mut self) -> Result<Option<Encoded<'a>>, Malformed> {
        let before = self.rest;
        match self.short_bytes() {
            Some((number, value)) => {
                let bytes = before.get(..value.len() + 2).unwrap_or_default();
                Ok(Some(Encoded { number, value: Wire::Bytes(value), bytes }))
            }
            None => self.any_encoded_field(),
        }
    }

    fn any_encoded_field(&mut self) -> Result<Option<Encoded<'a>>, Malformed> {
        while !self.rest.is_empty() {
            let before = self.rest;
            let (number, wire_type) = self.tag()?;
            if wire_type == GROUP_START {
                self.skip_group(number)?;
                continue;
            }
            let value = self.value(wire_type)?;
            let bytes = before.get(..before.len() - self.rest.len()).unwrap_or_default();
            return Ok(Some(Encoded { number, value, bytes }));
        }
        Ok(None)
    }

    /// Returns the next field with its encoded bytes, including those of skipped groups before it. At the end of the
    /// message, the field is None and the bytes are those of the groups after the last field.
    pub fn next_encoded(&mut self) -> Result<EncodedField<'a>, Malformed> {
        let before = self.rest;
        let field = self.next_field()?;
        let size = before.len() - self.rest.len();
        Ok((field, before.get(..size).unwrap_or_default()))
    }

    #[inline]
    fn tag(&mut self) -> Result<(u32, u32), Malformed> {
        let tag = u32::try_from(self.varint(MAX_SHORT_VARINT_BYTES)?).map_err(|_| Malformed::Varint)?;
        if tag >> 3 == 0 {
            return Err(Malformed::Tag);
        }
        Ok((tag >> 3, tag & 7))
    }

    #[inline]
    fn value(&mut self, wire_type: u32) -> Result<Wire<'a>, Malformed> {
        Ok(match wire_type {
            VARINT => Wire::Varint(self.varint(MAX_VARINT_BYTES)?),
            FIXED64 => Wire::Fixed64(u64::from_le_bytes(self.array()?)),
            FIXED32 => Wire::Fixed32(u32::from_le_bytes(self.array()?)),
            BYTES => {
                let size = self.varint(MAX_SHORT_VARINT_BYTES)?;
                let size = usize::try_from(size).map_err(|_| Malformed::Varint)?;
                let (value, rest) = self.rest.split_at_checked(size).ok_or(Malformed::Truncated)?;
                self.rest = rest;
                Wire::Bytes(value)
            }
            _ => return Err(Malformed::Tag),
        })
    }

    #[inline]
    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (value, rest) = self.rest.split_first_chunk::<N>().ok_or(Malformed::Truncated)?;
        self.rest = rest;
        Ok(*value)
    }

    /// Reads a varint. Bits beyond the 64th are lost, as in protobuf.
    #[inline]
    fn varint(&mut self, max_bytes: usize) -> Result<u64, Malformed> {
        match self.rest {
            [byte @ 0..=0x7f, rest @ ..] => {
                self.rest = rest;
                Ok(u64::from(*byte))
            }
            _ => self.long_varint(max_bytes),
        }
    }

    fn long_varint(&mut self, max_bytes: usize) -> Result<u64, Malformed> {
        let mut number = 0;
        for index in 0..max_bytes {
            let (byte, rest) = self.rest.split_first().ok_or(Malformed::Truncated)?;
            self.rest = rest;
            number |= u64::from(byte & 0x7f) << (7 * index);
            if *byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Malformed::Varint)
    }

    fn skip_group(&mut self, number: u32) -> Result<(), Malformed> {
        let mut inner = self.within(self.rest)?;
        loop {
            if inner.rest.is_empty() {
                return Err(Malformed::Truncated);
            }
            match inner.tag()? {
                (ended, GROUP_END) if ended == number => break,
                (started, GROUP_START) => inner.skip_group(started)?,
                (_, wire_type) => {
                    inner.value(wire_type)?;
                }
            }
        }
        self.rest = inner.rest;
        Ok(())
    }
}

/// Yields the values of the fields with this number in a well-formed message, if they are text, bytes or messages.
pub fn occurrences(message: &[u8], number: u32) -> impl Iterator<Item = Result<&[u8], Malformed>> {
    let mut fields = Fields::new(message);
    std::iter::from_fn(move || {
        loop {
            match fields.next_field() {
                Ok(Some((found, Wire::Bytes(inner)))) if found == number => return Some(Ok(inner)),
                Ok(Some(_)) => {}
                Ok(None) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
    })
}

/// Returns the bytes as text, which protobuf requires to be UTF-8.
#[inline]
pub fn text(bytes: &[u8]) -> Result<&str, Malformed> {
    std::str::from_utf8(bytes).map_err(|_| Malformed::Utf8)
}
