//! Counts the values of one field: exactly if there are few; if there are many, only the most frequent ones.
//!
//! Source: Misra and Gries, "Finding repeated elements" (1982). With K counters, a value that has more than 1/(K + 1)
//! of all records keeps its counter, whatever the order of the records.

use std::cmp::Reverse;

/// Largest number of values kept per field, insert, tenant, cohort and quarter of an hour.
pub const MAX_VALUES: usize = 64;

/// Largest number of bytes of a name or a value that is kept. Longer values count only for their field.
pub const LONGEST: usize = 256;

/// Number of values up to which all values are kept, however few records they have.
const FEW: u64 = 16;

/// Among more values, a value is kept if its share of the field's records is at least one in this many.
const MIN_SHARE: u64 = 200;

/// Number of counters. It bounds the memory for a field whose values are all different.
const COUNTERS: usize = 256;

/// Number of chains of values with alike hashes, as a power of two.
const CHAIN_BITS: u32 = 9;

const NONE: u16 = u16::MAX;

const _: () = assert!(COUNTERS as u64 >= MIN_SHARE && COUNTERS > MAX_VALUES && COUNTERS < NONE as usize);

/// A text in ClickHouse's Native format, and the number of records that have it.
#[derive(Clone, Copy)]
pub struct Item {
    /// Index of the first byte of the text's length.
    pub start: u32,
    /// Number of records with this text.
    pub records: u32,
}

/// Counters of values. They are reused for one field after the other.
pub struct Tally {
    records: Vec<u64>,
    hashes: Vec<u64>,
    starts: Vec<u32>,
    /// First counter of each chain, and for each counter the next one in its chain.
    chains: Vec<u16>,
    next: Vec<u16>,
    /// Counters that were 0 when they were noted here. They are free if they still are 0.
    zeros: Vec<u16>,
    /// Number of records subtracted from each counter so far. While it is 0, all counts are exact.
    taken: u64,
}

impl Default for Tally {
    fn default() -> Self {
        Tally {
            records: Vec::with_capacity(COUNTERS),
            hashes: Vec::with_capacity(COUNTERS),
            starts: Vec::with_capacity(COUNTERS),
            chains: vec![NONE; 1 << CHAIN_BITS],
            next: Vec::with_capacity(COUNTERS),
            zeros: Vec::new(),
            taken: 0,
        }
    }
}

impl Tally {
    /// Returns the values to keep of a field with `total` records, each with its number of records, most frequent
    /// first. `texts` has all texts in Native format.
    pub fn kept<'a>(&mut self, texts: &'a [u8], items: &[Item], total: u64) -> Vec<(u64, &'a [u8])> {
        self.clear();
        for item in items {
            if let Some(text) = text_at(texts, item.start).filter(|text| text.len() <= LONGEST) {
                self.count(texts, text, *item);
            }
        }
        let is_exact = self.taken == 0;
        if !is_exact {
            self.recount(texts, items, total);
        }
        let counted = self.records.iter().zip(&self.starts);
        let found = counted.filter_map(|(records, start)| Some((*records, text_at(texts, *start)?))).collect();
        keep(found, is_exact, total)
    }

    fn clear(&mut self) {
        self.records.clear();
        self.hashes.clear();
        self.starts.clear();
        self.next.clear();
        self.zeros.clear();
        self.chains.fill(NONE);
        self.taken = 0;
    }

    /// Counts the item. If its text has no counter and none is free, subtracts the same number from all counters and
    /// the item.
    fn count(&mut self, texts: &[u8], text: &[u8], item: Item) {
        let hash = hash_of(text);
        if let Some(records) = self.find(texts, text, hash).and_then(|place| self.records.get_mut(place)) {
            *records += u64::from(item.records);
            return;
        }
        let mut records = u64::from(item.records);
        if self.records.len() == COUNTERS && self.free().is_none() {
            let least = self.records.iter().min().map_or(records, |least| records.min(*least));
            self.records.iter_mut().for_each(|each| *each -= least);
            self.taken += least;
            records -= least;
            let zeros = self.records.iter().enumerate().filter(|(_, records)| **records == 0);
            self.zeros.extend(zeros.map(|(place, _)| place as u16));
        }
        if records > 0 {
            self.add(hash, item.start, records);
        }
    }

    /// Counts again, exactly, the values whose share may be large enough to keep them, and forgets all others.
    fn recount(&mut self, texts: &[u8], items: &[Item], total: u64) {
        let taken = self.taken;
        let counted = self.records.iter().zip(self.hashes.iter().zip(&self.starts));
        let may = counted.filter(|(records, _)| **records > 0 && stands_out(**records + taken, total));
        let candidates: Vec<(u64, u32)> = may.map(|(_, (hash, start))| (*hash, *start)).collect();
        self.clear();
        if candidates.is_empty() {
            return;
        }
        for (hash, start) in candidates {
            self.add(hash, start, 0);
        }
        for item in items {
            let Some(text) = text_at(texts, item.start).filter(|text| text.len() <= LONGEST) else { continue };
            let place = self.find(texts, text, hash_of(text));
            if let Some(records) = place.and_then(|place| self.records.get_mut(place)) {
                *records += u64::from(item.records);
            }
        }
    }

    #[inline]
    fn find(&self, texts: &[u8], text: &[u8], hash: u64) -> Option<usize> {
        let mut place = self.chains.get(chain_of(hash)).copied().unwrap_or(NONE);
        while place != NONE {
            let index = usize::from(place);
            if self.hashes.get(index) == Some(&hash) {
                let start = self.starts.get(index).copied()?;
                if text_at(texts, start) == Some(text) {
                    return Some(index);
                }
            }
            place = self.next.get(index).copied().unwrap_or(NONE);
        }
        None
    }

    /// Returns a counter that is 0. It stays in the list of zeros.
    fn free(&mut self) -> Option<usize> {
        while let Some(place) = self.zeros.last() {
            let index = usize::from(*place);
            if self.records.get(index) == Some(&0) {
                return Some(index);
            }
            self.zeros.pop();
        }
        None
    }

    /// Gives a value a counter: a new one, or one that is 0.
    fn add(&mut self, hash: u64, start: u32, records: u64) {
        let index = match self.free() {
            Some(index) if self.records.len() == COUNTERS => {
                self.zeros.pop();
                self.unchain(index);
                index
            }
            _ => {
                self.records.push(0);
                self.hashes.push(0);
                self.starts.push(0);
                self.next.push(NONE);
                self.records.len() - 1
            }
        };
        let columns = (self.records.get_mut(index), self.hashes.get_mut(index), self.starts.get_mut(index));
        if let (Some(its_records), Some(its_hash), Some(its_start)) = columns {
            (*its_records, *its_hash, *its_start) = (records, hash, start);
        }
        if let (Some(first), Some(next)) = (self.chains.get_mut(chain_of(hash)), self.next.get_mut(index)) {
            (*next, *first) = (*first, index as u16);
        }
    }

    fn unchain(&mut self, index: usize) {
        let chain = chain_of(self.hashes.get(index).copied().unwrap_or_default());
        let after = self.next.get(index).copied().unwrap_or(NONE);
        let mut place = self.chains.get(chain).copied().unwrap_or(NONE);
        if usize::from(place) == index {
            if let Some(first) = self.chains.get_mut(chain) {
                *first = after;
            }
            return;
        }
        while let Some(next) = self.next.get_mut(usize::from(place)) {
            if usize::from(*next) == index {
                *next = after;
                return;
            }
            place = *next;
        }
    }
}

/// Returns the values to keep among those found, most frequent first, then by their bytes. `is_all` says that no value
/// is missing among them.
pub fn keep(mut found: Vec<(u64, &[u8])>, is_all: bool, total: u64) -> Vec<(u64, &[u8])> {
    let order = |(records, text): &(u64, &[u8]), (others, other): &(u64, &[u8])| {
        (Reverse(records), *text).cmp(&(Reverse(others), *other))
    };
    let are_few = is_all && found.len() < MAX_VALUES && 2 * found.len() as u64 <= total.max(2 * FEW);
    if !are_few {
        found.retain(|(records, _)| stands_out(*records, total));
        if found.len() > MAX_VALUES {
            found.select_nth_unstable_by(MAX_VALUES, order);
            found.truncate(MAX_VALUES);
        }
    }
    found.sort_unstable_by(order);
    found
}

fn stands_out(records: u64, total: u64) -> bool {
    records >= 2 && records.saturating_mul(MIN_SHARE) >= total
}

fn chain_of(hash: u64) -> usize {
    (hash >> (u64::BITS - CHAIN_BITS)) as usize
}

/// Returns the text whose length begins at this index.
#[inline]
pub fn text_at(texts: &[u8], start: u32) -> Option<&[u8]> {
    let (begin, end) = bounds(texts, start as usize)?;
    texts.get(begin..end)
}

/// Returns the indexes at which a text begins and ends, given the index of its length.
#[inline]
pub fn bounds(texts: &[u8], start: usize) -> Option<(usize, usize)> {
    let (mut size, mut shift, mut begin) = (0_usize, 0, start);
    loop {
        let byte = *texts.get(begin)?;
        begin += 1;
        size |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some((begin, begin + size));
        }
        shift += 7;
    }
}

/// Returns a hash that affects only the speed of finding a value: a chain never has more values than there are
/// counters, even if somebody chooses the values to collide.
#[inline]
fn hash_of(text: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let step = |hash: u64, word: u64| (hash.rotate_left(23) ^ word).wrapping_mul(FACTOR);
    let words = text.chunks_exact(8);
    let last = words.remainder().iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let hash =
        words.fold(text.len() as u64, |hash, word| step(hash, u64::from_le_bytes(word.try_into().unwrap_or_default())));
    let hash = step(hash, last);
    (hash ^ hash >> 29).wrapping_mul(FACTOR)
}
