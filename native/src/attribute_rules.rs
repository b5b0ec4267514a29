//! Applies a tenant's attribute rules to a request: drops and masks attributes of records, resources and scopes, and
//! entries nested in them or in structured bodies.
//!
//! A record always stays.

use crate::any_value::{as_plain_text, read_key};
use crate::edits::Edits;
use crate::free_names::FreeNames;
use crate::nested_rules::Path;
use crate::refused::Refused;
use crate::rule_trie::{Action, Place, RuleTrie};
use crate::survey::{PairCounts, Survey};
use crate::wire::{Encoded, Fields, Malformed, Wire};

/// A request after the rules.
pub struct Applied {
    /// The encoded request; None if no rule matched.
    pub request: Option<Vec<u8>>,
    /// The survey of that request.
    pub survey: Survey,
    /// Number of attributes and nested entries that were dropped.
    pub dropped: u64,
    /// Number of attributes and nested entries that were masked.
    pub masked: u64,
}

/// Applies the rules to a request that has this survey. Fails with TooManyNames if more than `max_lookups` names would
/// be looked up.
pub fn apply(rules: &RuleTrie, request: &[u8], survey: &Survey, max_lookups: u64) -> Result<Applied, Refused> {
    let mut walk = Walk {
        rules,
        left: max_lookups,
        edits: Edits::new(request),
        dropped: 0,
        masked: 0,
        survey: survey.clone(),
        places: Vec::new(),
        free: FreeNames::default(),
    };
    let mut fields = Fields::new(request);
    while let Some(field) = fields.next_encoded_field()? {
        if let (1, Wire::Bytes(inner)) = (field.number, field.value) {
            walk.within(&field, inner, |walk| walk.resource_logs(inner))?;
        }
    }
    let Walk { edits, survey: mut after, dropped, masked, .. } = walk;
    let grown = edits.grown() as i64 - (survey.encoding_bytes - after.encoding_bytes) as i64;
    after.row_bytes = after.row_bytes.saturating_add_signed(grown);
    let request = (!edits.is_empty()).then(|| edits.written());
    Ok(Applied { request, survey: after, dropped, masked })
}

/// Kind of the message that an attribute belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    Resource,
    Scope,
    Record,
}

impl Owner {
    /// Returns the number of the field that has the attributes.
    fn attributes(self) -> u32 {
        match self {
            Owner::Resource => 1,
            Owner::Scope => 3,
            Owner::Record => 6,
        }
    }
}

/// Field number of a record's body.
const BODY: u32 = 5;

const BOOL_TAG: u8 = 0x10;
const INT_TAG: u8 = 0x18;
const DOUBLE_TAG: u8 = 0x21;

/// State of the walk through a request.
pub(crate) struct Walk<'a> {
    pub(crate) rules: &'a RuleTrie,
    left: u64,
    edits: Edits<'a>,
    dropped: u64,
    masked: u64,
    /// Survey of the request with all changes so far. Its `row_bytes` still lack the change of the request's own size.
    pub(crate) survey: Survey,
    /// Places in the trie after the names of the maps around an entry, from the outermost start of a name to the
    /// innermost. Places from which no rule can be reached are left out.
    pub(crate) places: Vec<Place>,
    free: FreeNames<'a>,
}

impl<'a> Walk<'a> {
    /// Visits a message that is the content of a field. Returns the number of bytes by which its content becomes
    /// longer.
    #[inline]
    pub(crate) fn within(
        &mut self,
        field: &Encoded<'a>,
        content: &'a [u8],
        visit: impl FnOnce(&mut Self) -> Result<(), Refused>,
    ) -> Result<isize, Refused> {
        let open = self.edits.open();
        visit(self)?;
        Ok(self.edits.close(open, field, content))
    }

    fn resource_logs(&mut self, message: &'a [u8]) -> Result<(), Refused> {
        let (mut records, mut grown, mut removed) = (0_u64, 0_isize, 0_u64);
        let before = self.survey.attributes;
        let mut fields = Fields::new(message);
        while let Some(field) = fields.next_encoded_field()? {
            match (field.number, field.value) {
                (1, Wire::Bytes(inner)) => {
                    let (attributes, encoding) = (self.survey.attributes, self.survey.encoding_bytes);
                    grown += self.within(&field, inner, |walk| walk.attributes(inner, Owner::Resource))?;
                    grown -= (encoding - self.survey.encoding_bytes) as isize;
                    removed += attributes - self.survey.attributes;
                }
                (2, Wire::Bytes(inner)) => {
                    self.within(&field, inner, |walk| walk.scope_logs(inner, &mut records))?;
                }
                _ => {}
            }
        }
        // Each record repeats the resource.
        let repeated = records.saturating_sub(1);
        let all_removed = before - self.survey.attributes;
        let survey = &mut self.survey;
        survey.row_bytes = survey.row_bytes.saturating_add_signed((grown as i64).saturating_mul(repeated as i64));
        survey.row_attributes = survey.row_attributes.saturating_sub(all_removed + removed.saturating_mul(repeated));
        Ok(())
    }

    fn scope_logs(&mut self, message: &'a [u8], records: &mut u64) -> Result<(), Refused> {
        let mut fields = Fields::new(message);
        while let Some(field) = fields.next_encoded_field()? {
            match (field.number, field.value) {
                (1, Wire::Bytes(inner)) => {
                    self.within(&field, inner, |walk| walk.attributes(inner, Owner::Scope))?;
                }
                (2, Wire::Bytes(inner)) => {
                    *records += 1;
                    self.within(&field, inner, |walk| walk.attributes(inner, Owner::Record))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Visits the attributes of a resource, scope or record, and the body of a record.
    fn attributes(&mut self, message: &'a [u8], owner: Owner) -> Result<(), Refused> {
        let number = owner.attributes();
        let mut fields = Fields::new(message);
        loop {
            // Only a field that may change is read again, with the bytes that encode it. For all fields, these bytes
            // would take half of the walk's time.
            let mut from_here = fields;
            match fields.next_field()? {
                None => return Ok(()),
                Some((found, Wire::Bytes(pair))) if found == number => {
                    let plain = plain_key(pair);
                    let key = plain.map_or_else(|| read_key(pair), Ok)?;
                    self.spend(self.rules.cost(key))?;
                    if plain.is_none() || !self.free.contains(key) {
                        let Some(field) = from_here.next_encoded_field()? else { return Ok(()) };
                        self.attribute(&field, pair, key, owner)?;
                    }
                }
                Some((BODY, Wire::Bytes(inner))) if owner == Owner::Record && as_plain_text(inner).is_none() => {
                    let Some(field) = from_here.next_encoded_field()? else { return Ok(()) };
                    let path = Path { depth: 0, places: (0, 0) };
                    self.within(&field, inner, |walk| walk.value(inner, path, owner))?;
                }
                Some(_) => {}
            }
        }
    }

    fn attribute(&mut self, field: &Encoded<'a>, pair: &'a [u8], key: &'a [u8], owner: Owner) -> Result<(), Refused> {
        let place = self.rules.advance(self.rules.start(), key);
        match self.rules.end(place) {
            Some(action) => {
                if action == Action::Drop {
                    let survey = &mut self.survey;
                    let counted =
                        if owner == Owner::Scope { &mut survey.scope_attributes } else { &mut survey.attributes };
                    *counted = counted.saturating_sub(1);
                }
                self.change(field, key, action, &counts(pair, owner, false)?);
            }
            None if is_plain(pair) => self.free.add(key),
            None => {
                let start = self.places.len();
                self.push_place(place);
                let path = Path { depth: 1, places: (start, self.places.len()) };
                self.within(field, pair, |walk| walk.nested_in(pair, path, owner))?;
                self.places.truncate(start);
            }
        }
        Ok(())
    }

    /// Drops or masks a pair. `removed` are the parts of the request that it thereby loses.
    pub(crate) fn change(&mut self, field: &Encoded<'a>, key: &'a [u8], action: Action, removed: &PairCounts) {
        let survey = &mut self.survey;
        survey.nested_values = survey.nested_values.saturating_sub(removed.nested_values);
        survey.encoding_bytes = survey.encoding_bytes.saturating_sub(removed.encoding_bytes);
        match action {
            Action::Drop => {
                self.dropped += 1;
                self.edits.remove(field);
            }
            Action::Mask => {
                self.masked += 1;
                self.edits.mask(field, key);
            }
        }
    }

    #[inline]
    pub(crate) fn spend(&mut self, lookups: u64) -> Result<(), Refused> {
        self.left = self.left.checked_sub(lookups).ok_or(Refused::TooManyNames)?;
        Ok(())
    }
}

/// Returns the counts of an attribute. Returns zeros for an attribute of a scope, because the survey does not count
/// these.
pub(crate) fn counts(pair: &[u8], owner: Owner, in_json: bool) -> Result<PairCounts, Malformed> {
    if owner == Owner::Scope { Ok(PairCounts::default()) } else { PairCounts::of(pair, in_json) }
}

/// Returns true if a KeyValue's value is certainly neither an array nor a map.
#[inline]
pub(crate) fn is_plain(pair: &[u8]) -> bool {
    plain_key(pair).is_some()
}

/// Returns the key of a KeyValue whose value is certainly neither an array nor a map.
#[inline]
fn plain_key(pair: &[u8]) -> Option<&[u8]> {
    // Fast path for a short key followed by a short value, as in nearly all pairs.
    let [0x0a, size @ 0..=0x7f, rest @ ..] = pair else { return None };
    let (key, rest) = rest.split_at_checked(usize::from(*size))?;
    let [0x12, size @ 0..=0x7f, value @ ..] = rest else { return None };
    let is_plain = value.len() == usize::from(*size)
        && match value {
            [] => true,
            [BOOL_TAG | INT_TAG, number @ ..] => {
                number.iter().position(|byte| *byte < 0x80).is_some_and(|last| last + 1 == number.len())
            }
            [DOUBLE_TAG, number @ ..] => number.len() == size_of::<f64>(),
            _ => as_plain_text(value).is_some(),
        };
    is_plain.then_some(key)
}
