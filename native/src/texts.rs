//! Stores texts as ClickHouse's Native format does: one after the other, each after a varint of its length.

/// A column of texts. Repeated texts are stored once.
#[derive(Default)]
pub struct Texts {
    native: Vec<u8>,
    repeats: Vec<Repeat>,
}

/// Texts between two indexes in `native` that are followed by `times` copies of themselves.
struct Repeat {
    start: usize,
    end: usize,
    times: usize,
}

impl Texts {
    /// Appends a text.
    #[inline]
    pub fn push(&mut self, text: &[u8]) {
        write_text(text, &mut self.native);
    }

    /// Returns the next piece of all texts in Native format; None after the last piece. A piece never ends within a
    /// text.
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

    /// Returns the texts in Native format, with each repeated text only once.
    pub fn kept(&self) -> &[u8] {
        &self.native
    }

    /// Returns the index in `native` at which the next text will begin.
    pub fn end(&self) -> usize {
        self.native.len()
    }

    /// Removes the texts from index `end` on. None of them may be repeated.
    pub fn truncate(&mut self, end: usize) {
        self.native.truncate(end);
    }

    /// Appends `times` copies of the texts from index `start` on. None of them may already be repeated.
    pub fn repeat_from(&mut self, start: usize, times: usize) {
        let end = self.native.len();
        if times > 0 && end > start {
            self.repeats.push(Repeat { start, end, times });
        }
    }

    /// Yields the texts from an index in `native` on, without copies. A text must begin at the index.
    pub fn from(&self, start: usize) -> impl Iterator<Item = &[u8]> {
        texts_of(self.native.get(start..).unwrap_or_default())
    }

    /// Yields all texts in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut place = Place::default();
        std::iter::from_fn(move || self.next_piece(&mut place)).flat_map(texts_of)
    }
}

/// Read position in a column of texts.
#[derive(Clone, Copy, Default)]
pub struct Place {
    /// Number of bytes of `native` whose texts were returned. The copies of repeats are not counted.
    given: usize,
    /// Number of repeats started so far.
    repeats: usize,
    /// Number of copies of the current repeat that are not returned yet.
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

/// Appends a varint of the text's length, then its bytes, as Native and protobuf do.
#[inline]
pub fn write_text(text: &[u8], out: &mut Vec<u8>) {
    write_varint(text.len() as u64, out);
    out.extend_from_slice(text);
}

/// Appends a number as LEB128, which Native and protobuf share.
#[inline]
pub fn write_varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
