//! Collects the attribute names of one record, resource or scope.

use crate::any_value::read_key;
use crate::names::NameHasher;
use crate::wire::{Fields, Malformed, Wire};

/// The attribute names of one record, resource or scope.
pub struct PartNames<'a> {
    hasher: &'a NameHasher,
    max_names: usize,
    max_bytes: usize,
    /// Names of earlier records, resources or scopes, by their places. Consecutive ones mostly have the same names in
    /// the same order.
    before: Vec<Before<'a>>,
    /// Hashes of the names, in their order.
    pub hashes: Vec<u64>,
    /// True if one of the names has more than `max_bytes` bytes.
    pub is_too_long: bool,
    /// True if all of these names are known to be in the request, so that they need not be looked up.
    pub are_known: bool,
}

/// A name with its hash.
struct Before<'a> {
    name: &'a [u8],
    hash: u64,
    /// True if a kept record, its resource or its scope had the name, so that it is among the request's names.
    in_request: bool,
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
            are_known: true,
        }
    }

    /// Begins the next record, resource or scope.
    pub fn clear(&mut self) {
        self.hashes.clear();
        self.is_too_long = false;
        self.are_known = true;
    }

    /// Marks all of these names as known to be in the request.
    pub fn set_known(&mut self) {
        if self.are_known {
            return;
        }
        self.are_known = true;
        for before in self.before.iter_mut().take(self.hashes.len()) {
            before.in_request = true;
        }
    }

    /// Adds the name of an encoded KeyValue.
    #[inline]
    pub fn add(&mut self, pair: &'a [u8]) -> Result<(), Malformed> {
        let (name, place) = (read_key(pair)?, self.hashes.len());
        self.is_too_long |= name.len() > self.max_bytes;
        let hash = match self.before.get_mut(place) {
            Some(same) if same.name == name => {
                self.are_known &= same.in_request;
                same.hash
            }
            other => {
                self.are_known = false;
                let new = Before { name, hash: self.hasher.hash(name), in_request: false };
                let hash = new.hash;
                if let Some(before) = other {
                    *before = new;
                } else if self.before.len() < self.max_names {
                    self.before.push(new);
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
