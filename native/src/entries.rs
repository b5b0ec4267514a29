//! Counts the entries of a map column as fields with values, for the rows of one context after the other.

use crate::columns::Maps;
use crate::field_counts::{Field, Source};
use crate::tally::{Item, Tally, bounds};

/// Entries of a map column, and the groups of the context that is being counted.
pub struct Entries<'a> {
    column: &'a Maps,
    /// Index after the last row of each map that several rows share. None if each row has a map of its own.
    shared: Option<&'a [usize]>,
    /// For each entry that is stored, the index of its value among the column's texts.
    starts: Vec<u32>,
    /// For each shared map, the index of its first entry in `starts`.
    firsts: Vec<usize>,
    /// For each key, the index of its group, and the number of the context in which that index was set. In other
    /// contexts the index is out of date.
    groups_of_keys: Vec<(u32, u32)>,
    context: u32,
    groups: Vec<Group>,
    /// Maps of the context's rows.
    maps: Vec<Map>,
    /// Values of the kept groups, group by group.
    items: Vec<Item>,
}

/// Entries of one key.
struct Group {
    key: u32,
    total: u64,
    items: usize,
    /// Place in `items` of the group's first item; None if the group is not kept.
    place: Option<usize>,
}

/// A map, and the number of the context's rows (`records`) that have it.
#[derive(Clone, Copy)]
struct Map {
    row: u32,
    /// Index of the map's first entry in `starts`.
    first: u32,
    records: u32,
}

impl<'a> Entries<'a> {
    /// Prepares counting. If several rows share a map, `shared` has for each map the index after its last row.
    pub fn new(column: &'a Maps, shared: Option<&'a [usize]>) -> Self {
        let (texts, mut next) = (column.values.kept(), 0);
        let starts = std::iter::from_fn(|| {
            let start = next;
            (_, next) = bounds(texts, start)?;
            // Texts beyond this index would all share it. No batch has that many bytes.
            Some(u32::try_from(start).unwrap_or(u32::MAX))
        });
        let starts = starts.collect();
        let mut entries = Entries {
            column,
            shared,
            starts,
            firsts: Vec::new(),
            groups_of_keys: vec![(0, 0); column.keys.size()],
            context: 0,
            groups: Vec::new(),
            maps: Vec::new(),
            items: Vec::new(),
        };
        let (mut row, mut first) = (0, 0);
        for end in shared.unwrap_or_default() {
            entries.firsts.push(first);
            first += entries.of_row(row).len();
            row = *end;
        }
        entries
    }

    /// Begins a context of these rows, which must be in ascending order. Returns its fields with their numbers of
    /// records.
    pub fn count(&mut self, rows: &[u32], source: Source) -> Vec<Field<'a>> {
        self.context += 1;
        self.groups.clear();
        self.find_maps(rows);
        for place in 0..self.maps.len() {
            let Some(map) = self.maps.get(place).copied() else { break };
            for entry in self.of_row(map.row as usize) {
                if let Some(group) = self.group(entry) {
                    group.total += u64::from(map.records);
                    group.items += 1;
                }
            }
        }
        let keys = &self.column.keys;
        let fields = self.groups.iter().zip(0..).filter_map(|(group, number)| {
            Some(Field { name: keys.text(group.key)?, total: group.total, source, number })
        });
        fields.collect()
    }

    /// Collects the values of these fields, skipping fields of other sources.
    pub fn place(&mut self, kept: &[Field<'_>], source: Source) {
        let mut place = 0;
        for field in kept.iter().filter(|field| field.source == source) {
            if let Some(group) = self.groups.get_mut(field.number as usize) {
                group.place = Some(place);
                place += group.items;
                group.items = 0;
            }
        }
        self.items.clear();
        self.items.resize(place, Item { start: u32::MAX, records: 0 });
        for place in 0..self.maps.len() {
            let Some(map) = self.maps.get(place).copied() else { break };
            for (entry, first) in self.of_row(map.row as usize).zip(map.first as usize..) {
                let Some(start) = self.starts.get(first).copied() else { break };
                let Some(group) = self.group(entry) else { break };
                if let Some(place) = group.place {
                    let place = place + group.items;
                    group.items += 1;
                    if let Some(item) = self.items.get_mut(place) {
                        *item = Item { start, records: map.records };
                    }
                }
            }
        }
    }

    /// Returns the values to keep of a field, after `place`.
    pub fn kept(&self, field: &Field<'_>, tally: &mut Tally) -> Vec<(u64, &'a [u8])> {
        let group = self.groups.get(field.number as usize);
        let items = group.and_then(|group| self.items.get(group.place?..group.place? + group.items));
        tally.kept(self.column.values.kept(), items.unwrap_or_default(), field.total)
    }

    /// Returns the indexes of a row's entries among all rows' entries.
    fn of_row(&self, row: usize) -> std::ops::Range<usize> {
        let end_of = |row: usize| self.column.ends.get(row).map_or(0, |end| *end as usize);
        row.checked_sub(1).map_or(0, end_of)..end_of(row)
    }

    /// Sets `maps` to the maps of these rows: for each, its first row and its number of records.
    fn find_maps(&mut self, rows: &[u32]) {
        self.maps.clear();
        let Some(shared) = self.shared else {
            let maps = rows.iter().map(|row| (*row, self.of_row(*row as usize).start as u32));
            let maps: Vec<Map> = maps.map(|(row, first)| Map { row, first, records: 1 }).collect();
            self.maps = maps;
            return;
        };
        let mut last = None;
        for row in rows {
            let number = match last {
                Some(number) if shared.get(number).is_some_and(|end| (*row as usize) < *end) => number,
                _ => shared.partition_point(|end| *end <= *row as usize),
            };
            match self.maps.last_mut() {
                Some(map) if last == Some(number) => map.records += 1,
                _ => {
                    let first = self.firsts.get(number).map_or(0, |first| *first as u32);
                    self.maps.push(Map { row: *row, first, records: 1 });
                }
            }
            last = Some(number);
        }
    }

    /// Returns the group of an entry's key in this context.
    #[inline]
    fn group(&mut self, entry: usize) -> Option<&mut Group> {
        let key = self.column.keys.rows().get(entry).copied()?;
        let known = self.groups_of_keys.get_mut(key as usize)?;
        if known.0 != self.context {
            *known = (self.context, self.groups.len() as u32);
            self.groups.push(Group { key, total: 0, items: 0, place: None });
        }
        self.groups.get_mut(known.1 as usize)
    }
}
