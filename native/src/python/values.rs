//! What Python holds on to: strings, named documents, attributes.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, LargeStringArray};
use arrow_buffer::{Buffer, OffsetBuffer};
use arrow_schema::{DataType, Field};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyCapsule, PyString, PyTuple};
use pyo3_arrow::input::AnyArray;

use super::ahead;
use crate::numbered::MOST;
use crate::{names, rank, strings};

/// Many strings in one piece of memory.
#[pyclass(frozen, eq, module = "cranfield._native")]
#[derive(PartialEq)]
pub struct Strings(pub strings::Strings);

#[pymethods]
impl Strings {
    /// From any iterable of strings or whole numbers.
    #[new]
    fn new(items: &Bound<'_, PyAny>) -> PyResult<Strings> {
        let mut all = strings::Strings::default();
        for (i, item) in items.try_iter()?.enumerate() {
            let item = item?;
            if let Ok(text) = item.cast::<PyString>() {
                all.push(text.to_cow()?.as_bytes());
            } else if let (false, Ok(number)) = (item.is_instance_of::<PyBool>(), item.extract::<i64>()) {
                all.push(number.to_string().as_bytes());
            } else {
                let kind = item.get_type().name()?;
                return Err(PyTypeError::new_err(format!(
                    "item {i} is of type {kind}, not a string or a whole number"
                )));
            }
        }
        Ok(Strings(all))
    }

    /// From an Arrow column of strings, a dictionary of them, or whole numbers.
    #[staticmethod]
    fn from_arrow(column: AnyArray) -> PyResult<Strings> {
        let mut all = strings::Strings::default();
        let wrong = |error: arrow_schema::ArrowError| PyValueError::new_err(error.to_string());
        for chunk in column.into_reader()? {
            let chunk = chunk.map_err(wrong)?;
            let kind = match chunk.data_type() {
                DataType::Dictionary(_, values) => values.as_ref(),
                kind => kind,
            };
            if !(kind.is_integer() || matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)) {
                return Err(PyTypeError::new_err(format!(
                    "the column is of type {kind}, not strings or whole numbers"
                )));
            }
            let texts = arrow_cast::cast(&chunk, &DataType::LargeUtf8).map_err(wrong)?;
            for (i, text) in texts.as_string::<i64>().iter().enumerate() {
                match text {
                    Some(text) => all.push(text.as_bytes()),
                    None => {
                        return Err(PyValueError::new_err(format!("row {} is null", all.len().max(i))));
                    }
                }
            }
        }
        Ok(Strings(all))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, i: isize) -> PyResult<Bound<'py, PyString>> {
        let n = self.0.len() as isize;
        let i = if i < 0 { i + n } else { i };
        if !(0..n).contains(&i) {
            return Err(PyIndexError::new_err("no such string"));
        }
        PyString::from_bytes(py, self.0.get(i as usize))
    }

    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyString>>> {
        self.0.iter().map(|s| PyString::from_bytes(py, s)).collect()
    }

    /// The strings at these places.
    fn take(&self, places: PyReadonlyArray1<'_, i64>) -> PyResult<Strings> {
        let mut all = strings::Strings::default();
        for i in places.as_array() {
            let i = usize::try_from(*i).ok().filter(|i| *i < self.0.len());
            all.push(self.0.get(i.ok_or_else(|| PyIndexError::new_err("no such string"))?));
        }
        Ok(Strings(all))
    }

    /// The distinct strings in order of appearance, and which of them stands in each place.
    fn distinct<'py>(&self, py: Python<'py>) -> (Strings, Bound<'py, PyArray1<u32>>) {
        let mut index = std::collections::HashMap::new();
        let mut all = strings::Strings::default();
        let number = |s| {
            let next = all.len() as u32;
            *index.entry(s).or_insert_with(|| {
                all.push(s);
                next
            })
        };
        let numbers: Vec<u32> = self.0.iter().map(number).collect();
        (Strings(all), numbers.into_pyarray(py))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let offsets: Vec<i64> = self.0.starts().iter().map(|s| *s as i64).collect();
        let bytes = Buffer::from(self.0.bytes().to_vec());
        let array = LargeStringArray::try_new(OffsetBuffer::new(offsets.into()), bytes, None)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        let field = Arc::new(Field::new("", DataType::LargeUtf8, false));
        Ok(pyo3_arrow::ffi::to_array_pycapsules(py, field, &array, requested_schema)?)
    }
}

/// The documents that tables of (topic, document) name, by topic.
#[pyclass(frozen, module = "cranfield._native")]
pub struct Names {
    pub inner: Arc<names::Names>,
    #[pyo3(get)]
    topics: Py<Strings>,
    #[pyo3(get)]
    documents: Py<Strings>,
    /// Where the documents of each topic start, and at last where all end.
    #[pyo3(get)]
    starts: Py<PyArray1<i64>>,
    /// For each table, which named document each of its rows is.
    #[pyo3(get)]
    rows: Vec<Py<PyArray1<i64>>>,
}

#[pymethods]
impl Names {
    /// Each table: its distinct topics, the number of the topic of each row, the document of each row.
    #[new]
    fn new(py: Python<'_>, tables: Vec<(Py<Strings>, PyReadonlyArray1<'_, u32>, Py<Strings>)>) -> PyResult<Names> {
        let mut joined = Vec::new();
        for (topics, topic, documents) in &tables {
            let (topics, documents, topic) = (topics.get(), documents.get(), topic.as_array().to_vec());
            if topic.len() != documents.0.len() || topic.iter().any(|t| *t as usize >= topics.0.len()) {
                return Err(PyValueError::new_err("the columns of a table do not fit each other"));
            }
            joined.push((topics.0.clone(), topic, documents.0.clone()));
        }
        if joined.iter().map(|(_, topic, _)| topic.len()).sum::<usize>() >= MOST {
            return Err(PyValueError::new_err(format!("there are more than {MOST} named documents")));
        }
        let (inner, rows) = match ahead::joined(&joined) {
            Some(known) => (known.names, vec![known.rows]),
            None => {
                let (names, rows) = names::Names::join(&joined);
                (Arc::new(names), rows)
            }
        };
        let wide = |v: &[u32]| v.iter().map(|n| i64::from(*n)).collect::<Vec<i64>>().into_pyarray(py).unbind();
        Ok(Names {
            topics: Py::new(py, Strings(inner.topics.clone()))?,
            documents: Py::new(py, Strings(inner.documents.clone()))?,
            starts: wide(&inner.starts),
            rows: rows.iter().map(|r| wide(r)).collect(),
            inner,
        })
    }
}

/// A number for each document, to be summed over everything above a document.
#[pyclass(frozen, module = "cranfield._native")]
pub struct Attribute(pub Arc<rank::Attribute>);

#[pymethods]
impl Attribute {
    #[new]
    fn new(documents: &Strings, values: PyReadonlyArray1<'_, f64>, default: f64) -> PyResult<Attribute> {
        if documents.0.len() != values.as_array().len() {
            return Err(PyValueError::new_err("documents and values do not fit each other"));
        }
        let pairs = documents.0.iter().map(Box::from).zip(values.as_array().into_iter().copied());
        Ok(Attribute(Arc::new(rank::Attribute { values: pairs.collect(), default })))
    }
}
