//! The interface of all data structures that are compared.

use logsieve_native::rule_trie::Action;

/// A data structure that looks up one name after the other, in the order of the records.
pub trait Lookup<'a> {
    /// Begins a record.
    fn record(&mut self) {}
    /// Returns the action for the next name.
    fn action(&mut self, name: &'a [u8]) -> Option<Action>;
}
