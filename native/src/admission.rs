//! Python classes that decide which records of a request are kept, and remove the others.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::admit::{Bounds, Decision, decide};
use crate::attribute_rules::apply;
use crate::filter::keep;
use crate::names::{DayNames, NameHasher, NameSet};
use crate::python::{Message, TooManyParts, refused};
use crate::redact::Redactor;
use crate::refused::Refused;
use crate::rule_trie::{Action, Rule, RuleTrie};
use crate::survey::DAY_NS;
use crate::wire::Malformed;

/// The request if it was changed, the number of kept records, the number and bytes of refused records by reason, and
/// the number of redacted matches.
type Admission<'py> = (Option<Bound<'py, PyBytes>>, u64, Vec<(u64, u64)>, u64);

#[pyclass(frozen, module = "logsieve_native", name = "Redactor")]
pub struct PyRedactor(Redactor);

#[pymethods]
impl PyRedactor {
    #[new]
    fn new(expressions: Vec<String>, cards: bool) -> PyResult<Self> {
        Redactor::new(&expressions, cards).map(PyRedactor).map_err(PyValueError::new_err)
    }

    /// Returns the text with matches replaced, and the number of matches.
    fn redact(&self, py: Python<'_>, text: &str) -> PyResult<(String, u64)> {
        let redacted = py.detach(|| self.0.redact(text.as_bytes(), &|| false)).map_err(refused)?;
        Ok(redacted
            .map_or((text.to_owned(), 0), |(bytes, found)| (String::from_utf8_lossy(&bytes).into_owned(), found)))
    }
}

/// The attribute rules of a tenant, and the largest number of look-ups for one request.
#[pyclass(frozen, module = "logsieve_native", name = "AttributeRules")]
pub struct PyAttributeRules {
    rules: RuleTrie,
    max_lookups: u64,
}

#[pymethods]
impl PyAttributeRules {
    #[new]
    fn new(rules: Vec<(String, bool, bool)>, max_lookups: u64) -> Self {
        let rules: Vec<Rule> = rules
            .into_iter()
            .map(|(pattern, is_prefix, drops)| {
                let action = if drops { Action::Drop } else { Action::Mask };
                Rule { pattern, is_prefix, action }
            })
            .collect();
        PyAttributeRules { rules: RuleTrie::new(&rules), max_lookups }
    }

    /// Returns true if attributes of this name are dropped, false if they are masked, None if no rule matches.
    fn drops(&self, name: &str) -> Option<bool> {
        self.rules.action(name.as_bytes()).map(|action| action == Action::Drop)
    }

    /// Returns the message after the rules, and the numbers of dropped and masked attributes.
    fn apply(&self, py: Python<'_>, message: Py<Message>) -> PyResult<(Py<Message>, u64, u64)> {
        let before = message.get();
        let applied = py.detach(|| apply(&self.rules, &before.value, &before.survey, self.max_lookups));
        let applied = applied.map_err(|error| match error {
            Refused::TooManyNames => TooManyParts::new_err(error.to_string()),
            other => refused(other),
        })?;
        let after = match applied.request {
            None => message,
            Some(request) => {
                let value = PyBackedBytes::from(PyBytes::new(py, &request));
                let (received_at, replaced) = (before.received_at, before.replaced);
                Py::new(py, Message { value, received_at, survey: applied.survey, replaced })?
            }
        };
        Ok((after, applied.dropped, applied.masked))
    }
}

/// The limits by which records are kept or refused, and the attribute names that each tenant has sent on the UTC day.
#[pyclass(frozen, module = "logsieve_native")]
pub struct AdmissionControl {
    record_names: usize,
    request_names: usize,
    text_bytes: usize,
    hasher: NameHasher,
    day_names: DayNames,
}

#[pymethods]
impl AdmissionControl {
    #[new]
    fn new(
        record_names: usize,
        request_names: usize,
        day_names: usize,
        day_names_in_all: usize,
        text_bytes: usize,
    ) -> Self {
        let day_names = DayNames::new(day_names, day_names_in_all);
        AdmissionControl { record_names, request_names, text_bytes, hasher: NameHasher::default(), day_names }
    }

    fn admit<'py>(
        &self,
        py: Python<'py>,
        message: &Message,
        tenant_id: u32,
        oldest: u64,
        newest: u64,
        redactor: Option<&PyRedactor>,
    ) -> PyResult<Admission<'py>> {
        let request: &[u8] = &message.value;
        let bounds = Bounds {
            oldest,
            newest,
            received_at: message.received_at,
            record_names: self.record_names,
            request_names: self.request_names,
            text_bytes: self.text_bytes,
        };
        let redactor = redactor.map(|each| &each.0);
        let (decision, left) = py
            .detach(|| -> Result<_, Refused> {
                let decision = self.decide(request, tenant_id, bounds)?;
                let all = decision.kept() == decision.verdicts.len() as u64;
                if all && redactor.is_none() {
                    return Ok((decision, None));
                }
                let left = keep(request, &decision.verdicts, redactor)?;
                let changed = !all || left.redacted > 0;
                Ok((decision, changed.then_some(left)))
            })
            .map_err(refused)?;
        let refused = decision.refused.iter().map(|each| (each.records, each.bytes)).collect();
        let redacted = left.as_ref().map_or(0, |left| left.redacted);
        Ok((left.map(|left| PyBytes::new(py, &left.request)), decision.kept(), refused, redacted))
    }
}

impl AdmissionControl {
    /// Checks names against the tenant's names of the day only if the new ones may be too many, because most requests
    /// have few or known names. Two concurrent requests of a tenant may both use its last free names; the tenant then
    /// has a few names more than the limit.
    fn decide(&self, request: &[u8], tenant_id: u32, bounds: Bounds) -> Result<Decision, Malformed> {
        let day = bounds.received_at / DAY_NS;
        let decision = decide(request, bounds, &self.hasher, &NameSet::default(), usize::MAX)?;
        if self.day_names.add(tenant_id, day, &decision.names) {
            return Ok(decision);
        }
        let (known, left) = self.day_names.known(tenant_id, day);
        let decision = decide(request, bounds, &self.hasher, &known, left)?;
        self.day_names.add(tenant_id, day, &decision.names);
        Ok(decision)
    }
}
