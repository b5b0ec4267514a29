//! Attribute names as hashes, and which of them each tenant has sent today.

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Names by their hashes, which are not hashed once more.
pub type NameSet = HashSet<u64, BuildHasherDefault<AsItIs>>;

/// Takes a number for its own hash.
#[derive(Default)]
pub struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

/// Hashes names with a secret of this process, so that nobody can make names that collide.
#[derive(Default)]
pub struct NameHasher(RandomState);

impl NameHasher {
    /// The name's hash.
    #[inline]
    pub fn hash(&self, name: &[u8]) -> u64 {
        self.0.hash_one(name)
    }
}

/// Distinct names of each tenant on one UTC day, bounded for each tenant and over all of them.
pub struct DayNames {
    a_tenant: usize,
    in_all: usize,
    today: Mutex<Today>,
}

#[derive(Default)]
struct Today {
    day: u64,
    held: usize,
    tenants: HashMap<u32, NameSet>,
}

impl DayNames {
    /// At most `a_tenant` names of each tenant. Where there would be more than `in_all`, all tenants' are forgotten.
    pub fn new(a_tenant: usize, in_all: usize) -> Self {
        DayNames { a_tenant, in_all, today: Mutex::default() }
    }

    /// Adds names to the tenant's. Returns false and adds none where the tenant would have more than it may.
    pub fn add(&self, tenant_id: u32, day: u64, names: &NameSet) -> bool {
        let mut today = self.today(day);
        let known = today.tenants.get(&tenant_id);
        let new = names.iter().filter(|name| known.is_none_or(|known| !known.contains(*name))).count();
        if new == 0 {
            return true;
        }
        if known.map_or(0, NameSet::len) + new > self.a_tenant {
            return false;
        }
        if today.held + new > self.in_all {
            *today = Today { day, ..Today::default() };
        }
        let known = today.tenants.entry(tenant_id).or_default();
        let before = known.len();
        known.extend(names);
        let added = known.len() - before;
        today.held += added;
        true
    }

    /// The tenant's names of the day, and how many more it may have.
    pub fn known(&self, tenant_id: u32, day: u64) -> (NameSet, usize) {
        let known = self.today(day).tenants.get(&tenant_id).cloned().unwrap_or_default();
        let left = self.a_tenant.saturating_sub(known.len());
        (known, left)
    }

    /// Begins anew with each day; a request that was received before midnight counts for the day after it.
    fn today(&self, day: u64) -> MutexGuard<'_, Today> {
        let mut today = self.today.lock().unwrap_or_else(PoisonError::into_inner);
        if day > today.day {
            *today = Today { day, ..Today::default() };
        }
        today
    }
}
