//! Converts OTLP's JSON to the equivalent protobuf message, in one pass.
//!
//! Source: OTLP specification, "JSON Protobuf Encoding": protobuf's JSON mapping, but trace and span ids are
//! hexadecimal, enums are numbers, and unknown fields are ignored.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::json_fields::{Field, MAX_NUMBER, Type, field};
use crate::json_limits::{MAX_DEPTH, Refusal, State};
use crate::json_scalars::{Scalar, expected, write};
use crate::json_text;
use crate::otlp_texts::Kind;
use crate::write_field::{begin_field, end_field};

/// An export request, converted to protobuf.
#[derive(Debug, PartialEq)]
pub struct Request {
    /// The encoded request.
    pub value: Vec<u8>,
    /// Number of byte sequences that are not UTF-8 and of halves of surrogate pairs. Each was replaced by one U+FFFD.
    pub replaced: u64,
}

/// Reads an export request.
pub fn read(body: &[u8]) -> Result<Request, Refusal> {
    let mut first = None;
    if let Ok(text) = std::str::from_utf8(body) {
        match transcode(text) {
            Ok(value) => return Ok(Request { value, replaced: 0 }),
            Err(Failure::Refused(refusal)) => return Err(refusal),
            Err(Failure::Syntax(reason)) => first = Some(reason), // perhaps only half of a surrogate pair
        }
    }
    let (valid, replaced) = json_text::replace_invalid(body);
    if let (Some(reason), 0) = (first, replaced) {
        return Err(not_json(&reason));
    }
    match std::str::from_utf8(&valid).map_err(|error| Failure::Syntax(error.to_string())).and_then(transcode) {
        Ok(value) => Ok(Request { value, replaced }),
        Err(Failure::Refused(refusal)) => Err(refusal),
        Err(Failure::Syntax(reason)) => Err(not_json(&reason)),
    }
}

fn not_json(reason: &str) -> Refusal {
    Refusal::Malformed(format!("the body is not JSON: {reason}"))
}

/// Beginning of serde_json's error for a number that no double can hold. Such a number is still JSON.
const OUT_OF_RANGE: &str = "number out of range";

enum Failure {
    Refused(Refusal),
    Syntax(String),
}

fn transcode(text: &str) -> Result<Vec<u8>, Failure> {
    let mut state = State::new(text.len());
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit(); // State has its own limit
    let body = Target::Message(Kind::Request, "the body");
    let read = Value { state: &mut state, target: body, depth: MAX_DEPTH }.deserialize(&mut reader);
    match (read.and_then(|()| reader.end()), state.refusal) {
        (Ok(()), _) => Ok(state.out),
        (Err(_), Some(refusal)) => Err(Failure::Refused(refusal)),
        (Err(error), None) if error.to_string().starts_with(OUT_OF_RANGE) => {
            Err(Failure::Refused(Refusal::Malformed(format!(
                "the number at line {} column {} of the body is out of range: numbers may be at most {:e} away from 0; \
                 send a smaller number, or its digits as stringValue",
                error.line(),
                error.column(),
                f64::MAX
            ))))
        }
        (Err(error), None) => Err(Failure::Syntax(error.to_string())),
    }
}

/// Place in a message to which a JSON value belongs.
#[derive(Clone, Copy)]
enum Target {
    /// The fields of a message with this name.
    Message(Kind, &'static str),
    /// All values of a field.
    Field(Field),
    /// One value of a repeated field.
    Element(Field),
    /// No place: the protocol has no such field.
    Ignored,
}

impl Target {
    /// Returns the name of the place, and a description of the values that it allows.
    fn demand(self) -> (&'static str, &'static str) {
        match self {
            Target::Message(_, name) => (name, "a JSON object"),
            Target::Field(field) if field.is_repeated => (field.name, "a JSON array"),
            Target::Field(field) | Target::Element(field) => (field.name, expected(field.kind)),
            Target::Ignored => ("", ""),
        }
    }
}

/// A value to read. It may contain at most `depth` levels of messages.
struct Value<'s> {
    state: &'s mut State,
    target: Target,
    depth: u32,
}

impl Value<'_> {
    fn scalar<E: Error>(self, value: Scalar<'_>) -> Result<(), E> {
        let written = match self.target {
            Target::Ignored => Some(()),
            Target::Field(_) if matches!(value, Scalar::Null) => Some(()),
            Target::Message(..) => None,
            Target::Field(field) if field.is_repeated => None,
            Target::Field(field) | Target::Element(field) => write(field, value, &mut self.state.out),
        };
        written.ok_or_else(|| wrong(self.state, self.target, value))
    }
}

fn wrong<E: Error>(state: &mut State, target: Target, found: impl fmt::Display) -> E {
    let (name, expected) = target.demand();
    let of = if matches!(target, Target::Element(_)) { "a value of " } else { "" };
    state.malformed(format!("{of}{name} is {found}; it must be {expected}"))
}

/// Reads the members of an object as the fields of a message.
fn read_fields<'de, A: MapAccess<'de>>(
    state: &mut State,
    kind: Kind,
    depth: u32,
    mut members: A,
) -> Result<(), A::Error> {
    state.count_message(depth)?;
    let mut written = [(0, 0); MAX_NUMBER + 1];
    let mut outdated = Vec::new();
    let mut chosen: Option<Field> = None;
    let mut is_first = true;
    while let Some(found) = members.next_key_seed(Name(kind))? {
        if !std::mem::take(&mut is_first) {
            state.count_part()?;
        }
        let Some(field) = found else {
            members.next_value_seed(Value { state: &mut *state, target: Target::Ignored, depth })?;
            continue;
        };
        let start = state.out.len();
        members.next_value_seed(Value { state: &mut *state, target: Target::Field(field), depth })?;
        let end = state.out.len();
        if field.is_choice && end > start {
            if let Some(other) = chosen.replace(field).filter(|other| other.number != field.number) {
                return Err(state.malformed(format!(
                    "a value has both {} and {}; it may have one of them",
                    other.name, field.name
                )));
            }
        }
        // If an object has two members with one name, the last one counts, as in most JSON readers.
        if let Some(place) = written.get_mut(field.number as usize) {
            let (before, until) = std::mem::replace(place, (start, end));
            if before < until {
                outdated.push((before, until));
            }
        }
    }
    cut(&mut state.out, outdated);
    Ok(())
}

/// Removes these pieces of the text, which must not overlap.
fn cut(out: &mut Vec<u8>, mut pieces: Vec<(usize, usize)>) {
    pieces.sort_unstable();
    let Some(&(mut end, _)) = pieces.first() else { return };
    let nexts = pieces.iter().skip(1).map(|piece| piece.0).chain([out.len()]);
    for (kept, next) in pieces.iter().map(|piece| piece.1).zip(nexts) {
        out.copy_within(kept..next, end);
        end += next - kept;
    }
    out.truncate(end);
}

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.scalar(Scalar::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.scalar(Scalar::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.scalar(Scalar::Int(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.scalar(Scalar::Uint(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        self.scalar(Scalar::Double(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        self.scalar(Scalar::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let Value { state, target, depth } = self;
        let element = match target {
            Target::Ignored => Target::Ignored,
            Target::Field(field) if field.is_repeated => Target::Element(field),
            _ => return Err(wrong(state, target, "a JSON array")),
        };
        state.enter()?;
        let mut is_first = true;
        while elements.next_element_seed(Value { state: &mut *state, target: element, depth })?.is_some() {
            if !std::mem::take(&mut is_first) {
                state.count_part()?;
            }
        }
        state.leave();
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let Value { state, target, depth } = self;
        state.enter()?;
        match target {
            Target::Message(kind, _) => read_fields(state, kind, depth, members)?,
            Target::Ignored => {
                let mut is_first = true;
                while members.next_key::<IgnoredAny>()?.is_some() {
                    if !std::mem::take(&mut is_first) {
                        state.count_part()?;
                    }
                    members.next_value_seed(Value { state: &mut *state, target, depth })?;
                }
            }
            Target::Field(Field { kind: Type::Message(kind), number, is_repeated: false, .. })
            | Target::Element(Field { kind: Type::Message(kind), number, .. }) => {
                let start = begin_field(number, &mut state.out);
                read_fields(state, kind, depth - 1, members)?;
                end_field(start, &mut state.out);
            }
            Target::Field(_) | Target::Element(_) => return Err(wrong(state, target, "a JSON object")),
        }
        state.leave();
        Ok(())
    }
}

/// The name of a member of a message.
struct Name(Kind);

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Option<Field>;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Option<Field>, D::Error> {
        reader.deserialize_str(self)
    }
}

impl Visitor<'_> for Name {
    type Value = Option<Field>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the name of a member")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Option<Field>, E> {
        Ok(field(self.0, name))
    }
}
