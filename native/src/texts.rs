//! Texts one after the other, as ClickHouse's Native format has them: a varint of the length before each.

/// A column of texts. Texts that are repeated are kept once.
#[derive(Default)]
pub struct Texts {
    native: Vec<u8>,
    repeats: Vec<Repeat>,
}

/// Texts between two places in Native that follow themselves so many times.
struct Repeat {
    start: usize,
    end: usize,
    times: usize,
}

impl Texts {
    /// Appends one.
    #[inline]
    pub fn push(&mut self, text: &[u8]) {
        write_text(text, &mut self.native);
    }

    /// The next of the pieces that make up all texts in Native, each of whole texts; None after the last one.
    pub fn next_piece(&self, place: &mut Place) -> Option<&[u8]> {
        if place.left > 0 {
            place.left -= 1;
            let repeat = self.repeats.get(place.repeats - 1)?;
            return self.native.get(repeat.start..repeat.end);
        }
        let start = place.given;
        if let Some(repeat) = self.repeats.get(place.repeats) {
            (place.given, place.left) = (repeat.end, repeat.times);
            place.repeats += 1;
        } else {
            place.given = self.native.len();
        }
        self.native.get(start..place.given).filter(|piece| !piece.is_empty())
    }

    /// Texts in Native, those that are repeated once.
    pub fn kept(&self) -> &[u8] {
        &self.native
    }

    /// Where the next one will begin among those that are kept.
    pub fn end(&self) -> usize {
        self.native.len()
    }

    /// Takes back what began at `end` and later, none of which was repeated.
    pub fn truncate(&mut self, end: usize) {
        self.native.truncate(end);
    }

    /// Appends what began at `start` and later again, so many times. Nothing of it was repeated before.
    pub fn repeat_from(&mut self, start: usize, times: usize) {
        let end = self.native.len();
        if times > 0 && end > start {
            self.repeats.push(Repeat { start, end, times });
        }
    }

    /// All of them in their order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut place = Place::default();
        std::iter::from_fn(move || self.next_piece(&mut place)).flat_map(texts_of)
    }
}

/// How far a column of texts has been read in pieces.
#[derive(Clone, Copy, Default)]
pub struct Place {
    /// What is kept before this place was given out.
    given: usize,
    /// Repeats that were begun.
    repeats: usize,
    /// How often the last of them is still to be given out.
    left: usize,
}

fn texts_of(mut rest: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (mut size, mut shift) = (0_usize, 0);
        loop {
            let (byte, after) = rest.split_first()?;
            rest = after;
            size |= usize::from(byte & 0x7f) << shift;
            shift += 7;
            if *byte < 0x80 {
                break;
            }
        }
        let (text, after) = rest.split_at_checked(size)?;
        rest = after;
        Some(text)
    })
}

/// Appends a text in Native: a varint of its length, then itself.
#[inline]
pub fn write_text(text: &[u8], out: &mut Vec<u8>) {
    write_varint(text.len() as u64, out);
    out.extend_from_slice(text);
}

/// LEB128, which Native and protobuf share.
#[inline]
pub fn write_varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
