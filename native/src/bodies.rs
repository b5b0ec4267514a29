//! Bodies of rows. They stay in the messages that contain them, so a block copies few of its bytes.

use std::sync::Arc;

use crate::texts::write_text;

/// Bytes of a message. Other owners may share them.
pub type Source = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// A column of bodies.
#[derive(Default)]
pub struct Bodies {
    sources: Vec<Source>,
    places: Vec<Place>,
    /// Bodies that no message contains as one piece: structured ones, and those that came in several pieces.
    own: Vec<u8>,
}

struct Place {
    /// Index of the source; None for a body in `own`.
    source: Option<usize>,
    start: usize,
    end: usize,
}

impl Bodies {
    /// Adds a message, which contains the bodies that are pushed next.
    pub fn start_message(&mut self, source: Source) {
        self.sources.push(source);
    }

    /// Appends a body. It is copied unless it is a part of the last message.
    #[inline]
    pub fn push(&mut self, text: &[u8]) {
        let within = self.sources.last().and_then(|source| start_within((**source).as_ref(), text));
        let (source, start) = match within {
            Some(start) => (Some(self.sources.len() - 1), start),
            None => {
                self.own.extend_from_slice(text);
                (None, self.own.len() - text.len())
            }
        };
        self.places.push(Place { source, start, end: start + text.len() });
    }

    /// Appends bodies in Native format from row `row` on, until `out` has at least `size` bytes. Returns the next row.
    pub fn write(&self, row: usize, size: usize, out: &mut Vec<u8>) -> usize {
        let mut next = row;
        for place in self.places.get(row..).unwrap_or_default() {
            if out.len() >= size {
                break;
            }
            write_text(self.text(place), out);
            next += 1;
        }
        next
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.places.len()
    }

    /// Returns the number of bytes of a row's body.
    pub fn size(&self, row: usize) -> usize {
        self.places.get(row).map_or(0, |place| place.end - place.start)
    }

    /// Yields all bodies in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.places.iter().map(|place| self.text(place))
    }

    fn text(&self, place: &Place) -> &[u8] {
        let bytes = match place.source.and_then(|index| self.sources.get(index)) {
            Some(source) => (**source).as_ref(),
            None => &self.own,
        };
        bytes.get(place.start..place.end).unwrap_or_default()
    }
}

/// Returns the index at which a text begins in bytes that contain it; None if the text is from elsewhere.
fn start_within(bytes: &[u8], text: &[u8]) -> Option<usize> {
    let start = text.as_ptr().addr().checked_sub(bytes.as_ptr().addr())?;
    (start + text.len() <= bytes.len()).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_parts_of_their_message_or_copies() {
        let message: Source = Arc::new(b"..first..second".to_vec());
        let mut bodies = Bodies::default();
        bodies.push(b"before any message");
        bodies.start_message(message.clone());
        let bytes: &[u8] = (*message).as_ref();
        for text in [bytes.get(2..7), bytes.get(9..15), bytes.get(15..15), Some(b"elsewhere")] {
            bodies.push(text.unwrap_or_default());
        }
        let texts: [&[u8]; 5] = [b"before any message", b"first", b"second", b"", b"elsewhere"];
        assert_eq!(bodies.iter().collect::<Vec<_>>(), texts);
        assert_eq!(bodies.own, b"before any messageelsewhere");
        let mut out = Vec::new();
        let mut row = 0;
        while row < bodies.rows() {
            row = bodies.write(row, out.len() + 1, &mut out);
        }
        assert_eq!(out, b"\x12before any message\x05first\x06second\x00\x09elsewhere");
    }
}
