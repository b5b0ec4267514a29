//! Reasons why a request is refused although it may be well-formed.

use std::fmt;

use crate::wire::Malformed;

/// Reason why a tenant's redactions or attribute rules cannot be applied to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The request is not a valid message.
    Malformed(Malformed),
    /// Redacting the bodies takes too much time.
    TooSlow,
    /// Redacting a text makes it too long.
    TooLong,
    /// An expression of the redactions has no DFA, so it cannot be searched in a long text.
    NoDfa,
    /// Too many names would have to be looked up in the attribute rules.
    TooManyNames,
}

impl From<Malformed> for Refused {
    fn from(error: Malformed) -> Self {
        Refused::Malformed(error)
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Refused::Malformed(error) => return error.fmt(formatter),
            Refused::TooSlow => {
                "its redactions take longer than 5 s: send smaller requests, or simplify the expressions that `logsieve \
                 policy redactions` shows"
            }
            Refused::TooLong => {
                "its redactions make a text more than four times as long: change the expressions that `logsieve policy \
                 redactions` shows, so that none matches the *** of another"
            }
            Refused::NoDfa => {
                "an expression of its redactions is too complex for a text of this length: send shorter texts, or \
                 simplify the expressions that `logsieve policy redactions` shows"
            }
            Refused::TooManyNames => "it has too many attributes and nested names",
        })
    }
}
