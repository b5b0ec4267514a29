//! A block in ClickHouse's Native format, piece by piece: a resource's text that a hundred thousand rows repeat is in
//! memory once, and no more than a chunk of it a second time.

use crate::block::Block;
use crate::texts::Place;

/// Columns by name and type.
pub type Columns = Vec<(String, String)>;

/// A block that is being written.
pub struct Chunks {
    block: Block,
    columns: Columns,
    /// The column whose turn it is; None before the header.
    column: Option<usize>,
    /// How far the column's texts are written; None before its head.
    texts: Option<Place>,
    /// Bytes written of the piece at that place.
    written: usize,
}

impl Chunks {
    /// Returns the name that no column has, if there is one.
    pub fn new(block: Block, columns: Columns) -> Result<Self, String> {
        let empty = Block::default();
        let unknown = columns.iter().find(|(name, type_name)| !empty.write_head(name, type_name, &mut Vec::new()));
        match unknown {
            Some((name, _)) => Err(name.clone()),
            None => Ok(Chunks { block, columns, column: None, texts: None, written: 0 }),
        }
    }

    /// The next bytes, about `size` of them; none after the last ones.
    pub fn next_chunk(&mut self, size: usize) -> Vec<u8> {
        let mut out = Vec::new();
        while out.len() < size {
            let Some(column) = self.column else {
                self.block.write_header(self.columns.len(), &mut out);
                self.column = Some(0);
                continue;
            };
            let Some((name, type_name)) = self.columns.get(column) else { break };
            let Some(place) = self.texts else {
                self.block.write_head(name, type_name, &mut out);
                self.texts = Some(Place::default());
                continue;
            };
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
        out
    }
}
