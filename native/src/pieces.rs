//! Reads messages that come in several pieces, as if the pieces were joined.
//!
//! protobuf merges repeated occurrences of a field that holds one message. Joined pieces would be copied again at each
//! level of nesting, so the pieces stay where they are, and each reading finds them anew.

use crate::wire::{Fields, Malformed, Wire};

/// A message inside another one.
#[derive(Clone, Copy)]
pub enum Payload<'a> {
    /// A message in one piece.
    Whole(&'a [u8]),
    /// A message in several pieces: the pieces are all occurrences of field `number` in the enclosing message `around`.
    Pieces {
        /// Bytes of the enclosing message.
        around: &'a [u8],
        /// Field number of the pieces.
        number: u32,
    },
}

impl<'a> Payload<'a> {
    /// Adds a piece: a field with this number of the message `around`. All pieces of a payload have the same number
    /// and the same message around them.
    #[inline]
    pub fn add(&mut self, around: &'a [u8], number: u32, piece: &'a [u8]) {
        *self = match self {
            Payload::Whole([]) => Payload::Whole(piece),
            _ if piece.is_empty() => return,
            _ => Payload::Pieces { around, number },
        };
    }

    /// Returns the bytes of a message in one piece.
    #[inline]
    pub fn whole(self) -> Option<&'a [u8]> {
        match self {
            Payload::Whole(message) => Some(message),
            Payload::Pieces { .. } => None,
        }
    }

    /// Returns the fields of all pieces.
    #[inline]
    pub fn fields(self) -> PayloadFields<'a> {
        match self {
            Payload::Whole(message) => {
                PayloadFields { piece: Fields::new(message), around: Fields::new(b""), number: 0 }
            }
            Payload::Pieces { around, number } => {
                PayloadFields { piece: Fields::new(b""), around: Fields::new(around), number }
            }
        }
    }
}

impl Default for Payload<'_> {
    fn default() -> Self {
        Payload::Whole(b"")
    }
}

/// Iterates over the fields of a message that may have several pieces.
#[derive(Clone, Copy)]
pub struct PayloadFields<'a> {
    piece: Fields<'a>,
    /// Rest of the message around the pieces.
    around: Fields<'a>,
    number: u32,
}

impl<'a> PayloadFields<'a> {
    /// Returns the next field's number and value; None at the end of the last piece.
    #[inline]
    pub fn next_field(&mut self) -> Result<Option<(u32, Wire<'a>)>, Malformed> {
        loop {
            if let Some(field) = self.piece.next_field()? {
                return Ok(Some(field));
            }
            let Some(piece) = next_with(self.number, || self.around.next_field())? else { return Ok(None) };
            self.piece = Fields::new(piece);
        }
    }

    /// Yields the values of the fields with this number, if they are text, bytes or messages.
    pub fn occurrences(mut self, number: u32) -> impl Iterator<Item = Result<&'a [u8], Malformed>> {
        std::iter::from_fn(move || next_with(number, || self.next_field()).transpose())
    }
}

/// An array or map. Its pieces are the fields of `value` with number `number`, after the first `before` fields.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// The value that contains the array or map.
    pub value: Payload<'a>,
    /// Number of the value's fields before the first piece.
    pub before: usize,
    /// Number of the fields that are pieces.
    pub number: u32,
}

impl<'a> Run<'a> {
    /// Yields the elements of all pieces: the values of an array, or the pairs of a map.
    pub fn elements(self) -> Result<impl Iterator<Item = Result<&'a [u8], Malformed>>, Malformed> {
        let mut rest = self.value.fields();
        for _ in 0..self.before {
            rest.next_field()?;
        }
        let mut piece = Fields::new(b"");
        Ok(std::iter::from_fn(move || {
            loop {
                match next_with(1, || piece.next_field()) {
                    Ok(None) => {}
                    found => return found.transpose(),
                }
                match next_with(self.number, || rest.next_field()) {
                    Ok(Some(next)) => piece = Fields::new(next),
                    end => return end.transpose(),
                }
            }
        }))
    }
}

/// Returns the value of the next field that has this number and is text, bytes or a message; None at the end.
#[inline]
fn next_with<'a>(
    number: u32,
    mut next_field: impl FnMut() -> Result<Option<(u32, Wire<'a>)>, Malformed>,
) -> Result<Option<&'a [u8]>, Malformed> {
    loop {
        match next_field()? {
            Some((found, Wire::Bytes(value))) if found == number => return Ok(Some(value)),
            Some(_) => {}
            None => return Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts<'a>(found: impl Iterator<Item = Result<&'a [u8], Malformed>>) -> Vec<&'a [u8]> {
        found.filter_map(Result::ok).collect()
    }

    #[test]
    fn pieces_are_read_in_their_order_and_empty_ones_are_no_pieces() {
        // Fields 2, 2, 3 and 2 of a message. Those with number 2 are pieces: empty, with field 1, empty, with field 1.
        let around = b"\x12\x00\x12\x03\x0a\x01a\x1a\x03\x0a\x01x\x12\x00\x12\x03\x0a\x01b";
        let mut payload = Payload::default();
        payload.add(around, 2, b"");
        payload.add(around, 2, b"\x0a\x01a");
        payload.add(around, 2, b"");
        assert_eq!(payload.whole(), Some(b"\x0a\x01a".as_slice()));
        payload.add(around, 2, b"\x0a\x01b");
        assert_eq!(payload.whole(), None);
        assert_eq!(texts(payload.fields().occurrences(1)), [b"a", b"b"]);
    }

    #[test]
    fn a_run_begins_with_its_first_piece() {
        // Field 6 before the run, the run's first piece, an unknown field, and two more pieces, of which one is empty.
        let value = b"\x32\x03\x0a\x01x\x32\x03\x0a\x01a\x7a\x00\x32\x00\x32\x03\x0a\x01b";
        let run = Run { value: Payload::Whole(value), before: 1, number: 6 };
        assert_eq!(run.elements().map(texts).unwrap_or_default(), [b"a", b"b"]);
    }

    /// Nothing that can be copied owns memory, so a message holds none for its pieces, however deep they are.
    #[test]
    fn pieces_own_no_memory() {
        fn is_copied<T: Copy>() {}
        is_copied::<Payload<'_>>();
        is_copied::<Run<'_>>();
    }
}
