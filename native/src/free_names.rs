//! Remembers attribute names of a request that match no rule, so that most names need no look-up.
//!
//! The records of a request repeat a few hundred names. A name has one slot, in which it replaces another. A sender who
//! makes names collide, or never repeats one, causes look-ups only.

/// Number of slots, a power of two. All of them fit into the processor's first cache.
const SLOTS: usize = 1024;

/// Odd numbers without a regular pattern of bits: the first digits of the golden ratio and of pi.
const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0x3243_f6a8_885a_308d];

/// Names that are known to match no rule.
pub struct FreeNames<'a> {
    slots: Vec<Option<&'a [u8]>>,
}

impl Default for FreeNames<'_> {
    fn default() -> Self {
        FreeNames { slots: vec![None; SLOTS] }
    }
}

impl<'a> FreeNames<'a> {
    /// Returns true if the name was added and not replaced since.
    #[inline]
    pub fn contains(&self, name: &[u8]) -> bool {
        matches!(self.slots.get(slot(name)), Some(Some(free)) if *free == name)
    }

    /// Adds a name.
    #[inline]
    pub fn add(&mut self, name: &'a [u8]) {
        if let Some(place) = self.slots.get_mut(slot(name)) {
            *place = Some(name);
        }
    }
}

/// Returns the name's slot, which depends on its length and on its first and last eight bytes.
#[inline]
fn slot(name: &[u8]) -> usize {
    let (first, last) = match (name.first_chunk(), name.last_chunk()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => (name.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)), 0),
    };
    let [one, other] = FACTORS;
    let mixed = (first ^ last.rotate_left(23) ^ name.len() as u64).wrapping_mul(one);
    let mixed = (mixed ^ last).wrapping_mul(other);
    (mixed >> (u64::BITS - SLOTS.trailing_zeros())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contains_no_name_that_was_not_added() {
        let mut free = FreeNames::default();
        let names: [&[u8]; 5] = [b"", b"a", b"a\0", b"app.order.id", b"http.request.header.content-type"];
        for name in names {
            assert!(!free.contains(name));
            free.add(name);
            assert!(free.contains(name));
        }
        // Same slot, because length, first and last eight bytes are equal.
        let other = b"http.request.header-content-type";
        assert_eq!(slot(other), slot(b"http.request.header.content-type"));
        assert!(!free.contains(other));
        free.add(other);
        assert!(!free.contains(b"http.request.header.content-type"));
    }

    #[test]
    fn most_names_of_a_tenant_have_slots_of_their_own() {
        let names: Vec<String> = (0..300).map(|n| format!("app.{}.value{}", n % 20, n / 20)).collect();
        let mut free = FreeNames::default();
        names.iter().for_each(|name| free.add(name.as_bytes()));
        let kept = names.iter().filter(|name| free.contains(name.as_bytes())).count();
        assert!(kept > 220, "{kept} of 300");
    }
}
