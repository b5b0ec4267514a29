//! Hashes attribute names, and stores the names that each tenant has sent today.

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A set of names by their hashes. The hashes are not hashed again.
pub type NameSet = HashSet<u64, BuildHasherDefault<AsItIs>>;

/// A hasher that returns the number itself.
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

/// Hashes names with a secret key of this process, so that no sender can construct names that collide.
#[derive(Default)]
pub struct NameHasher(RandomState);

impl NameHasher {
    /// Returns the name's hash.
    #[inline]
    pub fn hash(&self, name: &[u8]) -> u64 {
        self.0.hash_one(name)
    }
}

/// Distinct names of each tenant on one UTC day, with a limit for each tenant and one for all together.
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
    /// Creates an empty set. A tenant may have at most `a_tenant` names. If all tenants together have more than
    /// `in_all`, all names are forgotten.
    pub fn new(a_tenant: usize, in_all: usize) -> Self {
        DayNames { a_tenant, in_all, today: Mutex::default() }
    }

    /// Adds names to the tenant's names. Returns false and adds nothing if the tenant would have too many.
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

    /// Returns the tenant's names of the day, and the number of names that it may still add.
    pub fn known(&self, tenant_id: u32, day: u64) -> (NameSet, usize) {
        let known = self.today(day).tenants.get(&tenant_id).cloned().unwrap_or_default();
        let left = self.a_tenant.saturating_sub(known.len());
        (known, left)
    }

    /// Returns the names of the day; on a new day the set starts empty. A request from before midnight counts for the
    /// new day. If the stored day is later than the day after `day`, the clock was wrong, and the set starts empty too.
    fn today(&self, day: u64) -> MutexGuard<'_, Today> {
        let mut today = self.today.lock().unwrap_or_else(PoisonError::into_inner);
        if day > today.day || today.day > day + 1 {
            *today = Today { day, ..Today::default() };
        }
        today
    }
}
