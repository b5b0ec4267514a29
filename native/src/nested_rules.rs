//! Applies attribute rules to entries nested in attributes and bodies.
//!
//! A nested entry has several names: its own key, the key of the map around it and its own joined by a dot, and so on
//! up to the attribute's. The longest of these names that a rule matches decides.

use crate::any_value::{as_plain_text, read_key};
use crate::attribute_rules::{Owner, Walk, counts, is_plain};
use crate::json_write::escape_bytes;
use crate::refused::Refused;
use crate::rule_trie::{Action, Place};
use crate::wire::{Encoded, Fields, Wire};

/// Names of the maps around an entry.
#[derive(Clone, Copy)]
pub(crate) struct Path {
    /// Number of nested maps, plus one for the attribute around them.
    pub(crate) depth: u64,
    /// Range in `Walk::places`: start and end.
    pub(crate) places: (usize, usize),
}

impl<'a> Walk<'a> {
    /// Visits the value of a KeyValue. A value may come in several pieces; each is visited.
    pub(crate) fn nested_in(&mut self, pair: &'a [u8], path: Path, owner: Owner) -> Result<(), Refused> {
        let mut fields = Fields::new(pair);
        while let Some(field) = fields.next_encoded_field()? {
            if let (2, Wire::Bytes(inner)) = (field.number, field.value) {
                self.within(&field, inner, |walk| walk.value(inner, path, owner))?;
            }
        }
        Ok(())
    }

    /// Visits the entries of maps within a value, at any depth. The recursion is as deep as the message; the survey has
    /// bounded that depth.
    pub(crate) fn value(&mut self, any_value: &'a [u8], path: Path, owner: Owner) -> Result<(), Refused> {
        let mut fields = Fields::new(any_value);
        while let Some(field) = fields.next_encoded_field()? {
            match (field.number, field.value) {
                (5, Wire::Bytes(inner)) => {
                    self.within(&field, inner, |walk| walk.array(inner, path, owner))?;
                }
                (6, Wire::Bytes(inner)) => {
                    self.within(&field, inner, |walk| walk.map(inner, path, owner))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn array(&mut self, values: &'a [u8], path: Path, owner: Owner) -> Result<(), Refused> {
        let mut fields = Fields::new(values);
        while let Some(field) = fields.next_encoded_field()? {
            if let (1, Wire::Bytes(inner)) = (field.number, field.value) {
                self.spend(1)?;
                if as_plain_text(inner).is_none() {
                    self.within(&field, inner, |walk| walk.value(inner, path, owner))?;
                }
            }
        }
        Ok(())
    }

    fn map(&mut self, pairs: &'a [u8], path: Path, owner: Owner) -> Result<(), Refused> {
        let mut fields = Fields::new(pairs);
        while let Some(field) = fields.next_encoded_field()? {
            if let (1, Wire::Bytes(pair)) = (field.number, field.value) {
                let cost = self.rules.cost(read_key(pair)?);
                self.spend((path.depth + 1).saturating_mul(cost))?;
                self.entry(&field, pair, path, owner)?;
            }
        }
        Ok(())
    }

    fn entry(&mut self, field: &Encoded<'a>, pair: &'a [u8], path: Path, owner: Owner) -> Result<(), Refused> {
        let key = read_key(pair)?;
        let beginning = self.rules.folded_beginning(key);
        let start = self.places.len();
        for index in path.places.0..path.places.1 {
            let Some(place) = self.places.get(index).map(|place| self.rules.advance_folded(*place, &beginning)) else {
                continue;
            };
            if let Some(action) = self.rules.end(place) {
                self.places.truncate(start);
                return self.nested_change(field, pair, key, action, owner);
            }
            self.push_place(place);
        }
        let own = self.rules.advance_folded(self.rules.start(), &beginning);
        if let Some(action) = self.rules.end(own) {
            self.places.truncate(start);
            return self.nested_change(field, pair, key, action, owner);
        }
        if !is_plain(pair) {
            self.push_place(own);
            let inner = Path { depth: path.depth + 1, places: (start, self.places.len()) };
            self.within(field, pair, |walk| walk.nested_in(pair, inner, owner))?;
        }
        self.places.truncate(start);
        Ok(())
    }

    /// Stores the place after a name and a dot, if a longer name can match a rule.
    #[inline]
    pub(crate) fn push_place(&mut self, place: Place) {
        let after = self.rules.advance(place, b".");
        if !after.is_dead() {
            self.places.push(after);
        }
    }

    fn nested_change(
        &mut self,
        field: &Encoded<'a>,
        pair: &'a [u8],
        key: &'a [u8],
        action: Action,
        owner: Owner,
    ) -> Result<(), Refused> {
        let mut removed = counts(pair, owner, true)?;
        match action {
            _ if owner == Owner::Scope => {}
            Action::Drop => removed.nested_values += 1,
            // The key stays.
            Action::Mask => removed.encoding_bytes = removed.encoding_bytes.saturating_sub(escape_bytes(key)),
        }
        self.change(field, key, action, &removed);
        Ok(())
    }
}
