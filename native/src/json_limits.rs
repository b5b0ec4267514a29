//! What one JSON request may have, counted while it is read.

use serde::de::Error;

/// Messages within each other. Protobuf's parsers, the loader's among them, stop at 100.
pub const MAX_DEPTH: u32 = 90;

/// Messages in all (records, attributes, values): more than 16 MiB of real logs have, far fewer than of `{},{},{}`.
pub const MAX_MESSAGES: u64 = 1_000_000;

/// Objects and arrays within each other, those of unknown fields among them. Each takes some of the thread's stack.
pub const MAX_JSON_DEPTH: u32 = 1_000;

/// Objects, arrays and members of either in all, twice as many as 16 MiB of real logs have.
pub const MAX_PARTS: u64 = 3_000_000;

/// Why JSON is not taken, for its sender.
#[derive(Debug, PartialEq)]
pub enum Refusal {
    /// It is not JSON, not an export request, or nested too deeply.
    Malformed(String),
    /// It has too many parts.
    TooManyParts(String),
}

/// What is written, and how much of it has been read.
pub struct State {
    /// The message so far.
    pub out: Vec<u8>,
    /// Why reading ended early.
    pub refusal: Option<Refusal>,
    parts: u64,
    messages: u64,
    depth: u32,
}

impl State {
    /// Of a JSON text of so many bytes, of which its message rarely has more.
    pub fn new(text_bytes: usize) -> Self {
        State { out: Vec::with_capacity(text_bytes), refusal: None, parts: 0, messages: 0, depth: 0 }
    }

    fn refuse<E: Error>(&mut self, refusal: Refusal) -> E {
        self.refusal = Some(refusal);
        E::custom("refused")
    }

    /// Ends reading because the body is not an export request.
    pub fn malformed<E: Error>(&mut self, reason: String) -> E {
        self.refuse(Refusal::Malformed(reason))
    }

    /// Counts an object, an array, or a member of either after the first one.
    pub fn count_part<E: Error>(&mut self) -> Result<(), E> {
        self.parts += 1;
        if self.parts <= MAX_PARTS {
            return Ok(());
        }
        let reason = format!(
            "a JSON request may have {MAX_PARTS} objects, arrays and members, this one has more; send smaller requests"
        );
        Err(self.refuse(Refusal::TooManyParts(reason)))
    }

    /// Enters an object or an array.
    pub fn enter<E: Error>(&mut self) -> Result<(), E> {
        self.depth += 1;
        self.count_part()?;
        if self.depth <= MAX_JSON_DEPTH {
            return Ok(());
        }
        Err(self.malformed(format!(
            "objects and arrays of the body are nested more than {MAX_JSON_DEPTH} deep; send values that are nested less"
        )))
    }

    /// Leaves it.
    pub fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Counts a message; `depth` messages may be within each other from here on.
    pub fn count_message<E: Error>(&mut self, depth: u32) -> Result<(), E> {
        if depth == 0 {
            let reason = format!("the body is nested more than {MAX_DEPTH} messages deep; send values nested less");
            return Err(self.malformed(reason));
        }
        self.messages += 1;
        if self.messages <= MAX_MESSAGES {
            return Ok(());
        }
        let reason = format!(
            "a JSON request may have {MAX_MESSAGES} records, attributes and values in all, this one has more; send \
             smaller requests"
        );
        Err(self.refuse(Refusal::TooManyParts(reason)))
    }
}
