//! Limits on one JSON request, counted while it is read.

use serde::de::Error;

/// Largest depth of nested messages. Protobuf's parsers, including the loader's, stop at 100.
pub const MAX_DEPTH: u32 = 90;

/// Largest number of messages: records, attributes, values. 16 MiB of real logs have fewer; `{},{},{}` has far more.
pub const MAX_MESSAGES: u64 = 1_000_000;

/// Largest depth of nested objects and arrays, including unknown fields. Each level takes some of the thread's stack.
pub const MAX_JSON_DEPTH: u32 = 1_000;

/// Largest number of objects, arrays and their members: twice as many as 16 MiB of real logs have.
pub const MAX_PARTS: u64 = 3_000_000;

/// Reason for refusing a JSON body, as text for its sender.
#[derive(Debug, PartialEq)]
pub enum Refusal {
    /// The body is not JSON, not an export request, or nested too deeply.
    Malformed(String),
    /// The body has too many parts.
    TooManyParts(String),
}

/// The output, and counts of the input read so far.
pub struct State {
    /// The protobuf message written so far.
    pub out: Vec<u8>,
    /// The reason for stopping early; None without one.
    pub refusal: Option<Refusal>,
    parts: u64,
    messages: u64,
    depth: u32,
}

impl State {
    /// Makes the state for a JSON text of `text_bytes` bytes. Its message is rarely longer than the text.
    pub fn new(text_bytes: usize) -> Self {
        State { out: Vec::with_capacity(text_bytes), refusal: None, parts: 0, messages: 0, depth: 0 }
    }

    fn refuse<E: Error>(&mut self, refusal: Refusal) -> E {
        self.refusal = Some(refusal);
        E::custom("refused")
    }

    /// Stops reading because the body is not an export request.
    pub fn malformed<E: Error>(&mut self, reason: String) -> E {
        self.refuse(Refusal::Malformed(reason))
    }

    /// Counts an object, an array, or a further member of either.
    pub fn count_part<E: Error>(&mut self) -> Result<(), E> {
        self.parts += 1;
        if self.parts <= MAX_PARTS {
            return Ok(());
        }
        let reason = format!(
            "a JSON request may have at most {MAX_PARTS} objects, arrays and members, but this one has more; send \
             smaller requests"
        );
        Err(self.refuse(Refusal::TooManyParts(reason)))
    }

    /// Counts one level of nesting at the beginning of an object or array.
    pub fn enter<E: Error>(&mut self) -> Result<(), E> {
        self.depth += 1;
        self.count_part()?;
        if self.depth <= MAX_JSON_DEPTH {
            return Ok(());
        }
        Err(self.malformed(format!(
            "objects and arrays of the body are nested more than {MAX_JSON_DEPTH} deep; send values with fewer levels"
        )))
    }

    /// Ends the level of nesting at the end of an object or array.
    pub fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Counts a message. `depth` is the number of levels of messages still allowed here; at 0 the body is nested too
    /// deeply.
    pub fn count_message<E: Error>(&mut self, depth: u32) -> Result<(), E> {
        if depth == 0 {
            let reason =
                format!("the body is nested more than {MAX_DEPTH} messages deep; send values with fewer levels");
            return Err(self.malformed(reason));
        }
        self.messages += 1;
        if self.messages <= MAX_MESSAGES {
            return Ok(());
        }
        let reason = format!(
            "a JSON request may have at most {MAX_MESSAGES} records, attributes and values together, but this one has \
             more; send smaller requests"
        );
        Err(self.refuse(Refusal::TooManyParts(reason)))
    }
}
