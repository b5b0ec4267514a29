//! Writes a block in ClickHouse's Native format, piece by piece. Memory holds a text that many rows of a resource
//! repeat only once, plus at most one chunk of copies.

use crate::block::Block;
use crate::record_json::Position;
use crate::texts::Place;

const BODY: &str = "body";
const RECORD_JSON: &str = "record_json";

/// Names and types of columns.
pub type Columns = Vec<(String, String)>;

/// A block that is being written.
pub struct Chunks {
    block: Block,
    columns: Columns,
    /// Index of the column to write next; None before the header is written.
    column: Option<usize>,
    /// Position in the column's texts; None before the column's head is written.
    texts: Option<Place>,
    /// Number of bytes already written of the piece at that position.
    written: usize,
    /// Number of bodies written.
    bodies: usize,
    record_json: Position,
}

impl Chunks {
    /// Prepares to write these columns. Fails with the first name and type that no column of the block has.
    pub fn new(block: Block, columns: Columns) -> Result<Self, String> {
        let empty = Block::default();
        let unknown = columns.iter().find(|(name, type_name)| !empty.write_head(name, type_name, &mut Vec::new()));
        match unknown {
            Some((name, type_name)) => Err(format!("{name} {type_name}")),
            None => Ok(Chunks {
                block,
                columns,
                column: None,
                texts: None,
                written: 0,
                bodies: 0,
                record_json: Position::default(),
            }),
        }
    }

    /// Replaces the content of `out` by the next bytes of the block: at least `size`, fewer at the end, none after it.
    /// A column's head and a body are written whole, so there may be more than `size`.
    pub fn next_chunk(&mut self, size: usize, out: &mut Vec<u8>) {
        out.clear();
        while out.len() < size {
            let Some(column) = self.column else {
                self.block.write_header(self.columns.len(), out);
                self.column = Some(0);
                continue;
            };
            let Some((name, type_name)) = self.columns.get(column) else { break };
            let Some(place) = self.texts else {
                self.block.write_head(name, type_name, out);
                self.texts = Some(Place::default());
                continue;
            };
            if name == BODY && self.bodies < self.block.body.rows() {
                self.bodies = self.block.body.write(self.bodies, size, out);
                continue;
            }
            if name == RECORD_JSON && self.record_json.row < self.block.rows() {
                self.block.write_record_json(&mut self.record_json, size, out);
                continue;
            }
            let mut after = place;
            let Some(piece) = self.block.texts(name).and_then(|texts| texts.next_piece(&mut after)) else {
                (self.column, self.texts) = (Some(column + 1), None);
                continue;
            };
            let rest = piece.get(self.written..).unwrap_or_default();
            let part = rest.get(..size - out.len()).unwrap_or(rest);
            out.extend_from_slice(part);
            if part.len() == rest.len() {
                (self.texts, self.written) = (Some(after), 0);
            } else {
                self.written += part.len();
            }
        }
    }
}
