//! Converts a block's columns to Python lists.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use crate::block::Block;
use crate::columns::{Dictionary, Maps};
use crate::python::malformed;
use crate::wire::text;

impl Block {
    /// Returns a list with one value for each row; None if no column has this name.
    pub fn list<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyList>>> {
        let list = match name {
            "tenant_id" => PyList::new(py, &self.tenant_id),
            "cohort" => dictionary(py, &self.cohort),
            "timestamp" => PyList::new(py, &self.timestamp),
            "id" => PyList::new(py, &self.id),
            "observed_timestamp" => PyList::new(py, &self.observed_timestamp),
            "severity_number" => PyList::new(py, self.severity_number.iter().map(|each| u32::from(*each))),
            "severity_text" => dictionary(py, &self.severity_text),
            "service" => dictionary(py, &self.service),
            "body" => PyList::new(py, strings(py, self.body.iter())?),
            "body_truncated_bytes" => PyList::new(py, &self.body_truncated_bytes),
            "attributes" => maps(py, &self.attributes),
            "attribute_types" => dictionary(py, &self.attributes.letters),
            "resource" => maps(py, &self.resource),
            "resource_types" => dictionary(py, &self.resource.letters),
            "scope_name" => dictionary(py, &self.scope_name),
            "scope_version" => dictionary(py, &self.scope_version),
            "trace_id" => PyList::new(py, self.trace_id.iter().map(|each| PyBytes::new(py, each))),
            "span_id" => PyList::new(py, self.span_id.iter().map(|each| PyBytes::new(py, each))),
            "flags" => PyList::new(py, &self.flags),
            "event_name" => dictionary(py, &self.event_name),
            "record_json" => PyList::new(py, strings(py, self.record_json().iter().map(Vec::as_slice))?),
            _ => return Ok(None),
        };
        list.map(Some)
    }
}

fn strings<'py, 'a>(py: Python<'py>, texts: impl Iterator<Item = &'a [u8]>) -> PyResult<Vec<Bound<'py, PyString>>> {
    texts.map(|each| Ok(PyString::new(py, text(each).map_err(malformed)?))).collect()
}

/// Returns a list in which all rows with the same text share one object.
fn dictionary<'py>(py: Python<'py>, column: &Dictionary) -> PyResult<Bound<'py, PyList>> {
    let distinct = strings(py, column.distinct())?;
    PyList::new(py, column.rows().iter().filter_map(|number| distinct.get(*number as usize)).collect::<Vec<_>>())
}

/// Returns a list in which consecutive rows with the same map share one object, as the rows of a resource do. Reads the
/// values of a resource once for any number of its rows, because all Python threads wait meanwhile.
fn maps<'py>(py: Python<'py>, column: &Maps) -> PyResult<Bound<'py, PyList>> {
    let keys = strings(py, column.keys.distinct())?;
    let mut rows: Vec<Bound<'py, PyDict>> = Vec::with_capacity(column.ends.len());
    let (mut start, mut place) = (0, None);
    let mut before = (Default::default(), Vec::new());
    for (row, end) in column.ends.iter().enumerate() {
        let numbers = column.keys.rows().get(start..*end as usize).unwrap_or_default();
        start = *end as usize;
        let first = column.first_value(row);
        // The number of entries is compared too, because the values of a row without entries begin at the same index as
        // those of the next row.
        let is_copy = place.replace((first, numbers.len())) == Some((first, numbers.len()));
        if let Some(same) = rows.last().filter(|_| is_copy) {
            rows.push(same.clone());
            continue;
        }
        let entries = (numbers, column.values.from(first).take(numbers.len()).collect());
        match rows.last() {
            Some(same) if before == entries => rows.push(same.clone()),
            _ => rows.push(map(py, &keys, entries.0, &entries.1)?),
        }
        before = entries;
    }
    PyList::new(py, rows)
}

fn map<'py>(
    py: Python<'py>,
    keys: &[Bound<'py, PyString>],
    numbers: &[u32],
    values: &[&[u8]],
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (number, value) in numbers.iter().zip(values) {
        if let Some(key) = keys.get(*number as usize) {
            dict.set_item(key, text(value).map_err(malformed)?)?;
        }
    }
    Ok(dict)
}
