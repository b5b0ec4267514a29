//! What Python sees of it: `Message`, a request that is known to be well-formed, and `Rows` made of many.

use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyList};

use crate::admission::{Door, PyRedactor};
use crate::block::{Block, Stamp};
use crate::json_text;
use crate::mend::mend;
use crate::survey::Survey;
use crate::wire::Malformed;

/// As a Python exception.
pub fn malformed(error: Malformed) -> PyErr {
    PyValueError::new_err(error.to_string())
}

#[pyclass(frozen, module = "logsieve_native")]
pub struct Message {
    pub(crate) value: PyBackedBytes,
    pub(crate) received_at: u64,
    survey: Survey,
    replaced: u64,
}

#[pymethods]
impl Message {
    #[new]
    fn new(py: Python<'_>, value: PyBackedBytes, received_at: u64) -> PyResult<Self> {
        let survey = py.detach(|| Survey::of(&value, received_at)).map_err(malformed)?;
        if survey.invalid_texts == 0 {
            return Ok(Message { value, received_at, survey, replaced: 0 });
        }
        let mended = py.detach(|| mend(&value)).map_err(malformed)?;
        let value = PyBackedBytes::from(PyBytes::new(py, &mended.request));
        drop(mended.request);
        let survey = py.detach(|| Survey::of(&value, received_at)).map_err(malformed)?;
        Ok(Message { value, received_at, survey, replaced: mended.replaced })
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
        let stamp = Stamp { tenant_id, cohort, body_max_bytes, received_at: message.received_at, first_record_id };
        py.detach(|| self.block.append(&message.value, stamp)).map_err(malformed)
    }

    /// The rows as one block in ClickHouse's Native format, of columns with these names and types.
    fn native<'py>(&self, py: Python<'py>, columns: Vec<(String, String)>) -> PyResult<Bound<'py, PyBytes>> {
        let native = py.detach(|| -> Result<Vec<u8>, &str> {
            let mut out = Vec::with_capacity(self.block.native_size());
            self.block.write_header(columns.len(), &mut out);
            for (name, type_name) in &columns {
                if !self.block.write_column(name, type_name, &mut out) {
                    return Err(name);
                }
            }
            Ok(out)
        });
        native.map(|bytes| PyBytes::new(py, &bytes)).map_err(|name| PyKeyError::new_err(name.to_string()))
    }

    /// One column's values.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        self.block.list(py, name)?.ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }
}

/// Objects, arrays and members of either in a JSON text, at most.
#[pyfunction]
fn json_parts(py: Python<'_>, json: PyBackedBytes) -> u64 {
    py.detach(|| json_text::parts(&json))
}

/// A JSON text with U+FFFD for what in it is no text, and how often.
#[pyfunction]
fn mend_json(py: Python<'_>, json: PyBackedBytes) -> (Bound<'_, PyBytes>, u64) {
    let (mended, replaced) = py.detach(|| json_text::mend(&json));
    (PyBytes::new(py, &mended), replaced)
}

#[pymodule]
fn logsieve_native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Door>()?;
    module.add_class::<Message>()?;
    module.add_class::<PyRedactor>()?;
    module.add_class::<Rows>()?;
    module.add_function(wrap_pyfunction!(json_parts, module)?)?;
    module.add_function(wrap_pyfunction!(mend_json, module)?)
}
