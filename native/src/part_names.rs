//! Collects the attribute names of one record, resource or scope.

use crate::any_value::read_key;
use crate::names::NameHasher;
use crate::wire::{Fields, Malformed, Wire};

/// The attribute names of one record, resource or scope.
pub struct PartNames<'a> {
    hasher: &'a NameHasher,
    max_names: usize,
    max_bytes: usize,
    /// Names of the previous record, resource or scope, with their hashes. Consecutive ones mostly have the same names
    /// in the same order.
    before: Vec<(&'a [u8], u64)>,
    /// Hashes of the names, in their order.
    pub hashes: Vec<u64>,
    /// True if one of the names has more than `max_bytes` bytes.
    pub is_too_long: bool,
    /// True while all of these names are known to be in the request already.
    pub seen: bool,
    /// True if the names in `before` are known to be in the request already.
    before_seen: bool,
}

impl<'a> PartNames<'a> {
    /// Starts without names, for at most `max_names` names of at most `max_bytes` bytes.
    pub fn new(hasher: &'a NameHasher, max_names: usize, max_bytes: usize) -> Self {
        PartNames {
            hasher,
            max_names,
            max_bytes,
            before: Vec::new(),
            hashes: Vec::new(),
            is_too_long: false,
            seen: false,
            before_seen: false,
        }
    }

    /// Begins the next record, resource or scope.
    pub fn clear(&mut self) {
        self.hashes.clear();
        self.is_too_long = false;
        self.seen = self.before_seen;
    }

    /// Marks all of these names as known to be in the request.
    pub fn set_seen(&mut self) {
        self.seen = true;
        self.before_seen |= self.hashes.len() >= self.before.len();
    }

    /// Adds the name of an encoded KeyValue.
    #[inline]
    pub fn add(&mut self, pair: &'a [u8]) -> Result<(), Malformed> {
        let (name, place) = (read_key(pair)?, self.hashes.len());
        self.is_too_long |= name.len() > self.max_bytes;
        let hash = match self.before.get_mut(place) {
            Some((same, hash)) if *same == name => *hash,
            Some(other) => {
                (self.seen, self.before_seen) = (false, false);
                *other = (name, self.hasher.hash(name));
                other.1
            }
            None => {
                (self.seen, self.before_seen) = (false, false);
                let hash = self.hasher.hash(name);
                if self.before.len() < self.max_names {
                    self.before.push((name, hash));
                }
                hash
            }
        };
        self.hashes.push(hash);
        Ok(())
    }

    /// Returns true if there are more than `max_names` distinct names.
    pub fn are_too_many(&mut self) -> bool {
        if self.hashes.len() > self.max_names {
            self.hashes.sort_unstable();
            self.hashes.dedup();
        }
        self.hashes.len() > self.max_names
    }
}

/// Adds the attribute names of a resource or scope, which is field 1 of the message around it. Attributes are fields
/// with this number.
pub fn add_names<'a>(message: &'a [u8], number: u32, names: &mut PartNames<'a>) -> Result<(), Malformed> {
    let mut fields = Fields::new(message);
    while let Some(field) = fields.next_field()? {
        if let (1, Wire::Bytes(inner)) = field {
            let mut fields = Fields::new(inner);
            while let Some(field) = fields.next_field()? {
                if let (found, Wire::Bytes(pair)) = field {
                    if found == number {
                        names.add(pair)?;
                    }
                }
            }
        }
    }
    Ok(())
}
