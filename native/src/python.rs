//! Python classes: `Message`, a request known to be well-formed, and `Rows`, built from many messages.

use std::mem;
use std::sync::Arc;

use pyo3::create_exception;
use pyo3::exceptions::{PyIndexError, PyKeyError, PyTimeoutError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyList};

use crate::admission::{AdmissionControl, PyAttributeRules, PyRedactor};
use crate::block::{Block, Stamp};
use crate::chunks::{Chunks, Columns};
use crate::invalid_utf8::replace_invalid;
use crate::json_limits::Refusal;
use crate::otlp_json;
use crate::patterns;
use crate::record_json::is_packed;
use crate::refused::Refused;
use crate::survey::Survey;
use crate::wire::Malformed;

/// Returns the error as a Python exception.
pub fn malformed(error: Malformed) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Returns the error as a Python exception: TimeoutError for TooSlow, ValueError for all others.
pub fn refused(error: Refused) -> PyErr {
    match error {
        Refused::TooSlow => PyTimeoutError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

#[pyclass(frozen, module = "logsieve_native")]
pub struct Message {
    pub(crate) value: PyBackedBytes,
    pub(crate) received_at: u64,
    pub(crate) survey: Survey,
    pub(crate) replaced: u64,
}

#[pymethods]
impl Message {
    #[new]
    fn new(py: Python<'_>, value: PyBackedBytes, received_at: u64) -> PyResult<Self> {
        let survey = py.detach(|| Survey::of(&value, received_at)).map_err(malformed)?;
        if survey.invalid_texts == 0 {
            return Ok(Message { value, received_at, survey, replaced: 0 });
        }
        let valid = py.detach(|| replace_invalid(&value)).map_err(malformed)?;
        let value = PyBackedBytes::from(PyBytes::new(py, &valid.request));
        drop(valid.request);
        let survey = py.detach(|| Survey::of(&value, received_at)).map_err(malformed)?;
        Ok(Message { value, received_at, survey, replaced: valid.sequences })
    }

    #[getter]
    fn value(&self) -> &PyBackedBytes {
        &self.value
    }

    #[getter]
    fn replaced(&self) -> u64 {
        self.replaced
    }

    #[getter]
    fn records(&self) -> u64 {
        self.survey.records
    }

    #[getter]
    fn attributes(&self) -> u64 {
        self.survey.attributes
    }

    #[getter]
    fn scope_attributes(&self) -> u64 {
        self.survey.scope_attributes
    }

    #[getter]
    fn groups(&self) -> u64 {
        self.survey.groups
    }

    #[getter]
    fn nested_values(&self) -> u64 {
        self.survey.nested_values
    }

    #[getter]
    fn row_bytes(&self) -> u64 {
        self.survey.row_bytes
    }

    #[getter]
    fn row_attributes(&self) -> u64 {
        self.survey.row_attributes
    }

    #[getter]
    fn times(&self) -> Option<(u64, u64)> {
        self.survey.times
    }

    #[getter]
    fn days(&self) -> Vec<u64> {
        self.survey.days.iter().copied().collect()
    }
}

#[pyclass(module = "logsieve_native")]
#[derive(Default)]
struct Rows {
    block: Block,
}

#[pymethods]
impl Rows {
    #[new]
    fn new() -> Self {
        Rows::default()
    }

    fn __len__(&self) -> usize {
        self.block.rows()
    }

    fn append(
        &mut self,
        py: Python<'_>,
        message: &Message,
        tenant_id: u32,
        cohort: &str,
        body_max_bytes: usize,
        first_record_id: u128,
    ) -> PyResult<()> {
        let has_record_json = is_packed(&message.survey);
        let received_at = message.received_at;
        let stamp = Stamp { tenant_id, cohort, body_max_bytes, received_at, first_record_id, has_record_json };
        let request = Arc::new(message.value.clone_ref(py));
        py.detach(|| self.block.append(request, stamp)).map_err(malformed)
    }

    /// Returns the rows as one block in ClickHouse's Native format, with these columns, and removes them from this
    /// object.
    fn native(&mut self, columns: Columns) -> PyResult<NativeChunks> {
        Chunks::new(mem::take(&mut self.block), columns)
            .map(|chunks| NativeChunks { chunks, buffer: Vec::new() })
            .map_err(PyKeyError::new_err)
    }

    /// Returns the counts of the rows' fields and values as one block in ClickHouse's Native format, with these
    /// columns. Returns no bytes if there is nothing to count.
    fn field_counts<'py>(
        &self,
        py: Python<'py>,
        columns: Columns,
        bucket_seconds: u32,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let block = py.detach(|| {
            let counts = self.block.field_counts(bucket_seconds);
            if counts.rows() == 0 { Ok(Vec::new()) } else { counts.native(&columns) }
        });
        block.map(|block| PyBytes::new(py, &block)).map_err(PyKeyError::new_err)
    }

    /// Returns the values of one column.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        self.block.list(py, name)?.ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }
}

/// Approximate size of one chunk of a block, in bytes. It fits into a processor's cache, because a chunk is copied
/// several times on its way to the socket.
const CHUNK_BYTES: usize = 1 << 18;

/// An iterator over a block's bytes.
#[pyclass(module = "logsieve_native")]
struct NativeChunks {
    chunks: Chunks,
    buffer: Vec<u8>,
}

#[pymethods]
impl NativeChunks {
    fn __iter__(chunks: PyRef<'_, Self>) -> PyRef<'_, Self> {
        chunks
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        py.detach(|| self.chunks.next_chunk(CHUNK_BYTES, &mut self.buffer));
        (!self.buffer.is_empty()).then(|| PyBytes::new(py, &self.buffer))
    }
}

create_exception!(logsieve_native, TooManyParts, PyValueError);

/// Converts an export request from JSON to protobuf. Returns it with the number of sequences replaced by U+FFFD.
#[pyfunction]
fn json_to_protobuf(py: Python<'_>, body: PyBackedBytes) -> PyResult<(Bound<'_, PyBytes>, u64)> {
    let request = py.detach(|| otlp_json::read(&body)).map_err(|refusal| match refusal {
        Refusal::Malformed(reason) => PyValueError::new_err(reason),
        Refusal::TooManyParts(reason) => TooManyParts::new_err(reason),
    })?;
    Ok((PyBytes::new(py, &request.value), request.replaced))
}

/// Templates of patterns. Only those that Python asks for become Python texts.
#[pyclass(frozen, module = "logsieve_native")]
struct Templates {
    patterns: patterns::Patterns,
}

#[pymethods]
impl Templates {
    fn __len__(&self) -> usize {
        self.patterns.count()
    }

    /// Returns the tokens of the template with this index.
    fn template(&self, index: usize) -> PyResult<Vec<&str>> {
        self.patterns.template(index).ok_or_else(|| PyIndexError::new_err(index))
    }
}

/// Groups texts into patterns. Returns their templates, and for each text the index of its template.
#[pyfunction]
fn group_patterns(py: Python<'_>, texts: Vec<PyBackedStr>) -> (Templates, Vec<u32>) {
    let (patterns, of_texts) = py.detach(|| patterns::group(texts.iter().map(|text| &**text)));
    (Templates { patterns }, of_texts)
}

#[pymodule]
fn logsieve_native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyAttributeRules>()?;
    module.add_class::<AdmissionControl>()?;
    module.add_class::<Message>()?;
    module.add_class::<PyRedactor>()?;
    module.add_class::<Rows>()?;
    module.add_class::<Templates>()?;
    module.add("TooManyParts", module.py().get_type::<TooManyParts>())?;
    module.add_function(wrap_pyfunction!(group_patterns, module)?)?;
    module.add_function(wrap_pyfunction!(json_to_protobuf, module)?)
}
