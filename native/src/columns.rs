//! Columns as they grow: dictionaries of texts, and maps of text to text.

use std::collections::HashMap;

use crate::texts::Texts;

/// A LowCardinality(String) column: distinct texts, and for each row which of them.
#[derive(Default)]
pub struct Dictionary {
    distinct: Texts,
    /// Where in `distinct` each text is, without the length before it.
    places: Vec<(usize, usize)>,
    numbers: HashMap<Box<[u8]>, u32>,
    rows: Vec<u32>,
}

impl Dictionary {
    /// Appends a row.
    #[inline]
    pub fn push(&mut self, text: &[u8]) {
        let number = self.number(text, self.rows.last().copied());
        self.rows.push(number);
    }

    /// Appends a row, whose text is likely to be that of a row already there; returns the text's number.
    #[inline]
    pub fn push_like(&mut self, text: &[u8], row: usize) -> u32 {
        let number = self.number(text, self.rows.get(row).copied());
        self.rows.push(number);
        number
    }

    /// Appends as many rows with the same text.
    pub fn push_times(&mut self, text: &[u8], times: usize) {
        if times > 0 {
            let number = self.number(text, self.rows.last().copied());
            self.rows.resize(self.rows.len() + times, number);
        }
    }

    /// Takes back the rows from this one on. Their texts stay among the distinct ones, where nothing refers to them.
    pub fn truncate(&mut self, rows: usize) {
        self.rows.truncate(rows);
    }

    /// Appends the rows from this one on again, so many times.
    pub fn repeat_from(&mut self, row: usize, times: usize) {
        repeat_from(&mut self.rows, row, times);
    }

    /// The number of the text of each row.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The distinct texts by number.
    pub fn distinct(&self) -> impl Iterator<Item = &[u8]> {
        self.distinct.iter()
    }

    /// How many distinct texts there are.
    pub fn size(&self) -> usize {
        self.places.len()
    }

    /// The distinct texts in Native.
    pub fn native_distinct(&self) -> &[u8] {
        self.distinct.kept()
    }

    /// `guess` spares a look into the hash table where it is right.
    #[inline]
    fn number(&mut self, text: &[u8], guess: Option<u32>) -> u32 {
        match guess {
            Some(guess) if self.text(guess) == Some(text) => guess,
            _ => self.look_up(text),
        }
    }

    #[inline]
    fn text(&self, number: u32) -> Option<&[u8]> {
        let (start, end) = self.places.get(number as usize)?;
        self.distinct.kept().get(*start..*end)
    }

    fn look_up(&mut self, text: &[u8]) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.places.len() as u32;
        self.distinct.push(text);
        let end = self.distinct.end();
        self.places.push((end - text.len(), end));
        self.numbers.insert(text.into(), number);
        number
    }
}

/// A Map(LowCardinality(String), String) column, with its letters.
#[derive(Default)]
pub struct Maps {
    /// The key of each entry.
    pub keys: Dictionary,
    /// The value of each entry.
    pub values: Texts,
    /// For each row, how many entries it and those before it have.
    pub ends: Vec<u64>,
    /// For each row, the letters of its entries.
    pub letters: Dictionary,
    row_letters: Vec<u8>,
    values_before: usize,
    /// Counts rows begun, also those dropped; for each distinct key, the last one it was in, plus one.
    begun: usize,
    last_begun: Vec<usize>,
    has_duplicates: bool,
}

impl Maps {
    /// Adds an entry to the row that is open; `write` appends its value's text and returns its letter.
    #[inline]
    pub fn add<E>(
        &mut self,
        key: &[u8],
        scratch: &mut Vec<u8>,
        write: impl FnOnce(&mut Vec<u8>) -> Result<u8, E>,
    ) -> Result<(), E> {
        let number = self.add_key(key);
        self.note_key(number);
        scratch.clear();
        self.row_letters.push(write(scratch)?);
        self.values.push(scratch);
        Ok(())
    }

    /// The same for a value that is a text.
    #[inline]
    pub fn add_text(&mut self, key: &[u8], text: &[u8]) {
        let number = self.add_key(key);
        self.note_key(number);
        self.row_letters.push(b's');
        self.values.push(text);
    }

    /// Whether the open row has a key twice: it must be dropped then, and begun anew without.
    pub fn has_duplicates(&self) -> bool {
        self.has_duplicates
    }

    /// Takes back the open row's entries.
    pub fn drop_open(&mut self) {
        self.keys.truncate(self.start());
        self.values.truncate(self.values_before);
        self.row_letters.clear();
        self.has_duplicates = false;
        self.begun += 1;
    }

    /// Ends the open row, which stands for as many rows.
    pub fn close(&mut self, rows: usize) {
        let Some(more) = rows.checked_sub(1) else {
            return self.drop_open();
        };
        let (start, added) = (self.start(), self.row_letters.len());
        self.keys.repeat_from(start, more);
        self.values.repeat_from(self.values_before, more);
        self.ends.extend((1..=rows).map(|row| (start + row * added) as u64));
        self.letters.push_times(&self.row_letters, rows);
        self.row_letters.clear();
        self.values_before = self.values.end();
        self.begun += 1;
    }

    fn start(&self) -> usize {
        self.ends.last().map_or(0, |end| *end as usize)
    }

    /// Records of one program have their attributes in the same order, so the key is likely that of the row before.
    #[inline]
    fn add_key(&mut self, key: &[u8]) -> u32 {
        let before = self.ends.len().checked_sub(2).and_then(|row| self.ends.get(row)).map_or(0, |end| *end as usize);
        self.keys.push_like(key, before + self.row_letters.len())
    }

    #[inline]
    fn note_key(&mut self, number: u32) {
        let (row, number) = (self.begun + 1, number as usize);
        if number >= self.last_begun.len() {
            self.last_begun.resize(number + 1, 0);
        }
        if let Some(last) = self.last_begun.get_mut(number) {
            self.has_duplicates |= *last == row;
            *last = row;
        }
    }
}

fn repeat_from<T: Copy>(values: &mut Vec<T>, start: usize, times: usize) {
    let end = values.len();
    values.reserve((end - start) * times);
    for _ in 0..times {
        values.extend_from_within(start..end);
    }
}
