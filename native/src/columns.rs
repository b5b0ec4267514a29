//! Columns that grow row by row: dictionaries of texts, and maps of text to text.

use std::collections::HashMap;

use crate::texts::Texts;

/// A LowCardinality(String) column: the distinct texts, and for each row the number of its text.
#[derive(Default)]
pub struct Dictionary {
    distinct: Texts,
    /// Start and end of each text in `distinct`, without the length before it.
    places: Vec<(usize, usize)>,
    numbers: HashMap<Box<[u8]>, u32>,
    rows: Vec<u32>,
}

impl Dictionary {
    /// Appends a row with this text.
    #[inline]
    pub fn push(&mut self, text: &[u8]) {
        let number = self.number(text, self.rows.last().copied());
        self.rows.push(number);
    }

    /// Appends a row and returns the number of its text. Faster if row `row` has the same text.
    #[inline]
    pub fn push_like(&mut self, text: &[u8], row: usize) -> u32 {
        let number = self.number(text, self.rows.get(row).copied());
        self.rows.push(number);
        number
    }

    /// Appends `times` rows with the same text.
    pub fn push_times(&mut self, text: &[u8], times: usize) {
        if times > 0 {
            let number = self.number(text, self.rows.last().copied());
            self.rows.resize(self.rows.len() + times, number);
        }
    }

    /// Removes the rows from index `rows` on. Their texts stay among the distinct ones.
    pub fn truncate(&mut self, rows: usize) {
        self.rows.truncate(rows);
    }

    /// Appends `times` copies of the rows from index `row` on.
    pub fn repeat_from(&mut self, row: usize, times: usize) {
        repeat_from(&mut self.rows, row, times);
    }

    /// Returns the number of each row's text.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Returns the text of a row.
    pub fn at(&self, row: usize) -> &[u8] {
        self.rows.get(row).and_then(|number| self.text(*number)).unwrap_or_default()
    }

    /// Yields the distinct texts, ordered by number.
    pub fn distinct(&self) -> impl Iterator<Item = &[u8]> {
        self.distinct.iter()
    }

    /// Returns the number of distinct texts.
    pub fn size(&self) -> usize {
        self.places.len()
    }

    /// Returns the distinct texts in Native format.
    pub fn native_distinct(&self) -> &[u8] {
        self.distinct.kept()
    }

    /// Returns the number of a text; adds the text if it is new. A correct `guess` avoids a look-up in the hash table.
    #[inline]
    fn number(&mut self, text: &[u8], guess: Option<u32>) -> u32 {
        match guess {
            Some(guess) if self.text(guess) == Some(text) => guess,
            _ => self.look_up(text),
        }
    }

    /// Returns the text with a number.
    #[inline]
    pub fn text(&self, number: u32) -> Option<&[u8]> {
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

/// A Map(LowCardinality(String), String) column, with the letters of its values' types.
#[derive(Default)]
pub struct Maps {
    /// Key of each entry.
    pub keys: Dictionary,
    /// Value of each entry.
    pub values: Texts,
    /// For each row, the number of entries in all rows up to and including it.
    pub ends: Vec<u64>,
    /// For each row, the letters of its entries' types.
    pub letters: Dictionary,
    /// For each row, the index in `values` at which its values begin.
    first_values: Vec<usize>,
    row_letters: Vec<u8>,
    values_before: usize,
    /// Number of rows started, including dropped ones. `last_started` has for each distinct key the number of the last
    /// row that has it, plus one.
    started: usize,
    last_started: Vec<usize>,
    has_duplicates: bool,
}

impl Maps {
    /// Adds an entry to the open row. `write` appends the value's text and returns the letter of its type.
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

    /// Adds an entry whose value is a text to the open row.
    #[inline]
    pub fn add_text(&mut self, key: &[u8], text: &[u8]) {
        let number = self.add_key(key);
        self.note_key(number);
        self.row_letters.push(b's');
        self.values.push(text);
    }

    /// Returns true if the open row has a key twice. Then drop the row and add it again without duplicates.
    pub fn has_duplicates(&self) -> bool {
        self.has_duplicates
    }

    /// Removes the entries of the open row.
    pub fn drop_open(&mut self) {
        self.keys.truncate(self.start());
        self.values.truncate(self.values_before);
        self.row_letters.clear();
        self.has_duplicates = false;
        self.started += 1;
    }

    /// Ends the open row and appends copies of it, so that there are `rows` rows of it.
    pub fn close(&mut self, rows: usize) {
        let Some(more) = rows.checked_sub(1) else {
            return self.drop_open();
        };
        let (start, added) = (self.start(), self.row_letters.len());
        self.keys.repeat_from(start, more);
        self.values.repeat_from(self.values_before, more);
        self.ends.extend((1..=rows).map(|row| (start + row * added) as u64));
        self.letters.push_times(&self.row_letters, rows);
        self.first_values.resize(self.first_values.len() + rows, self.values_before);
        self.row_letters.clear();
        self.values_before = self.values.end();
        self.started += 1;
    }

    /// Returns the letter, key and value of each entry of a row.
    pub fn entries(&self, row: usize) -> impl Iterator<Item = (u8, &[u8], &[u8])> {
        let first = row.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |end| *end as usize);
        let end = self.ends.get(row).map_or(0, |end| *end as usize);
        let numbers = self.keys.rows().get(first..end).unwrap_or_default();
        let keys = numbers.iter().map(|number| self.keys.text(*number).unwrap_or_default());
        let values = self.values.from(self.first_value(row));
        self.letters.at(row).iter().zip(keys).zip(values).map(|((letter, key), value)| (*letter, key, value))
    }

    /// Returns the index in `values` at which a row's values begin. Rows of one resource share it.
    pub fn first_value(&self, row: usize) -> usize {
        self.first_values.get(row).copied().unwrap_or_default()
    }

    fn start(&self) -> usize {
        self.ends.last().map_or(0, |end| *end as usize)
    }

    /// Adds a key. The guess is the key at the same index of the previous row, because records of one program have
    /// their attributes in the same order.
    #[inline]
    fn add_key(&mut self, key: &[u8]) -> u32 {
        let before = self.ends.len().checked_sub(2).and_then(|row| self.ends.get(row)).map_or(0, |end| *end as usize);
        self.keys.push_like(key, before + self.row_letters.len())
    }

    #[inline]
    fn note_key(&mut self, number: u32) {
        let (row, number) = (self.started + 1, number as usize);
        if number >= self.last_started.len() {
            self.last_started.resize(number + 1, 0);
        }
        if let Some(last) = self.last_started.get_mut(number) {
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
