//! OTLP log exports as rows of a ClickHouse table: from the bytes of Kafka's messages to a block in Native format.
//!
//! The rows are a pure function of bytes and stamp. Exactly-once delivery rests on it.

pub mod any_value;
pub mod block;
pub mod columns;
pub mod double;
#[cfg(feature = "python")]
mod lists;
pub mod native;
#[cfg(feature = "python")]
mod python;
pub mod survey;
pub mod wire;
