//! The door to Python: NumPy arrays out, Arrow columns or lists of strings in.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use arrow_array::cast::AsArray;
use arrow_array::{Array, LargeStringArray};
use arrow_buffer::{Buffer, OffsetBuffer};
use arrow_schema::{DataType, Field};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyString, PyTuple};
use pyo3_arrow::input::AnyArray;

use crate::names;
use crate::numbered::MOST;
use crate::problem::{Problem, Problems};
use crate::qrels;
use crate::rank::{self, Ranked, Ties, Topic, Wanted};
use crate::run::{self, Parts};
use crate::source::{Control, Limits, Stop};
use crate::strings;

/// Many strings in one piece of memory.
#[pyclass(frozen, eq, module = "cranfield._native")]
#[derive(PartialEq)]
struct Strings(strings::Strings);

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
            } else if let Ok(number) = item.extract::<i64>() {
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
struct Names {
    inner: Arc<names::Names>,
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
        let (inner, rows) = names::Names::join(&joined);
        let wide = |v: &[u32]| v.iter().map(|n| i64::from(*n)).collect::<Vec<i64>>().into_pyarray(py).unbind();
        Ok(Names {
            topics: Py::new(py, Strings(inner.topics.clone()))?,
            documents: Py::new(py, Strings(inner.documents.clone()))?,
            starts: wide(&inner.starts),
            rows: rows.iter().map(|r| wide(r)).collect(),
            inner: Arc::new(inner),
        })
    }
}

/// A number for each document, to be summed over everything above a document.
#[pyclass(frozen, module = "cranfield._native")]
struct Attribute(Arc<rank::Attribute>);

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

fn wanted(
    ties: &str,
    single: bool,
    names: Option<Py<Names>>,
    attribute: Option<Py<Attribute>>,
    depth: Option<u32>,
) -> PyResult<Wanted> {
    let ties = match ties {
        "trec" => Ties::Trec,
        "docno-asc" => Ties::DocnoAsc,
        "input" => Ties::Input,
        "rank" => Ties::Rank,
        _ => return Err(PyValueError::new_err(format!("no such order of ties: {ties}"))),
    };
    let names = names.map(|names| names.get().inner.clone());
    let attribute = attribute.map(|attribute| attribute.get().0.clone());
    Ok(Wanted { ties, single, names, attribute, depth })
}

/// Do the work on threads of its own, while this one listens for Ctrl-C and reports progress. When it is told to stop it
/// leaves at once: a thread that waits for a pipe to speak cannot be woken, and ends by itself when the pipe does.
fn attended<T: Send + 'static>(
    py: Python<'_>,
    control: &Arc<Control>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (send, done) = channel();
    std::thread::spawn(move || send.send(work()));
    py.detach(move || {
        loop {
            match done.recv_timeout(Duration::from_millis(100)) {
                Ok(result) => return Ok(result),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(PyValueError::new_err("the reader failed; please report this file"));
                }
            }
            let heard = Python::attach(|py| {
                py.check_signals()?;
                progress.as_ref().map_or(Ok(()), |p| p.call1(py, (control.done.load(Relaxed),)).map(drop))
            });
            if let Err(stopped) = heard {
                control.stop.store(true, Relaxed);
                return Err(stopped);
            }
        }
    })
}

fn limits(bytes: Option<u64>, ratio: Option<u64>, line: Option<usize>) -> Limits {
    let usual = Limits::default();
    Limits {
        bytes: bytes.unwrap_or(usual.bytes),
        ratio: ratio.unwrap_or(usual.ratio).max(1),
        line: line.unwrap_or(usual.line),
    }
}

/// Problems as Python has them: (code, line, message, hint), and how many there are of each code.
fn put_problems(out: &Bound<'_, PyDict>, problems: &Problems) -> PyResult<()> {
    let kept: Vec<_> = problems.kept().iter().map(|p| (p.code, p.line, p.message.as_str(), p.hint.as_str())).collect();
    out.set_item("problems", kept)?;
    out.set_item("counts", problems.counts().clone())
}

/// Only a problem: what reading a hopeless file yields.
fn put_only(out: &Bound<'_, PyDict>, stop: Stop) -> PyResult<()> {
    let mut problems = Problems::default();
    problems.push(match stop {
        Stop::Problem(problem) => problem,
        Stop::Interrupted | Stop::Scattered => Problem::new("E-READ", 0, "reading was broken off", "try again"),
    });
    put_problems(out, &problems)
}

/// Read judgments from a text file.
#[pyfunction]
#[pyo3(signature = (path, *, gains=false, subtopics=false, max_bytes=None, max_ratio=None, max_line=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of a Python function")]
fn read_qrels<'py>(
    py: Python<'py>,
    path: PathBuf,
    gains: bool,
    subtopics: bool,
    max_bytes: Option<u64>,
    max_ratio: Option<u64>,
    max_line: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let control = Arc::new(Control::default());
    let limits = limits(max_bytes, max_ratio, max_line);
    let reading = qrels::Reading { gains, subtopics };
    let heard = control.clone();
    let read = attended(py, &control, progress, move || qrels::read_qrels(&path, reading, limits, &heard))?;
    let out = PyDict::new(py);
    match read {
        Err(stop) => put_only(&out, stop)?,
        Ok(read) => {
            put_problems(&out, &read.problems)?;
            out.set_item("topics", Strings(read.topics))?;
            out.set_item("topic", read.topic.into_pyarray(py))?;
            out.set_item("iterations", Strings(read.iterations))?;
            out.set_item("iteration", read.iteration.into_pyarray(py))?;
            out.set_item("document", Strings(read.document))?;
            out.set_item("grade", read.grade.into_pyarray(py))?;
            out.set_item("lines", read.lines)?;
            out.set_item("header", read.header)?;
            out.set_item("digest", read.digest)?;
        }
    }
    Ok(out)
}

/// Read a run from a text file: rank every topic, match the named documents, keep the first `depth` documents.
#[pyfunction]
#[pyo3(signature = (path, *, ties="trec", single=false, names=None, attribute=None, depth=None, threads=1, max_bytes=None,
    max_ratio=None, max_line=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of a Python function")]
fn read_run<'py>(
    py: Python<'py>,
    path: PathBuf,
    ties: &str,
    single: bool,
    names: Option<Py<Names>>,
    attribute: Option<Py<Attribute>>,
    depth: Option<u32>,
    threads: usize,
    max_bytes: Option<u64>,
    max_ratio: Option<u64>,
    max_line: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let control = Arc::new(Control::default());
    let limits = limits(max_bytes, max_ratio, max_line);
    let parts = Parts::new(threads);
    let wanted = wanted(ties, single, names, attribute, depth)?;
    let (asked, heard) = (wanted.clone(), control.clone());
    let read = attended(py, &control, progress, move || run::read_run(&path, &asked, parts, limits, &heard))?;
    let out = PyDict::new(py);
    match read {
        Err(stop) => put_only(&out, stop)?,
        Ok(read) => {
            put_problems(&out, &read.problems)?;
            put_ranked(&out, read.ranked, &wanted)?;
            out.set_item("lines", read.lines)?;
            out.set_item("tag", read.tag)?;
            out.set_item("header", read.header)?;
            out.set_item("digest", read.digest)?;
        }
    }
    Ok(out)
}

/// Rank a run that is in memory: the distinct topics, the number of the topic of each row, its document and its score.
#[pyfunction]
#[pyo3(signature = (topics, topic, document, score, *, ties="trec", single=false, names=None, attribute=None, depth=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of a Python function")]
fn rank_run<'py>(
    py: Python<'py>,
    topics: &Strings,
    topic: PyReadonlyArray1<'py, u32>,
    document: &Strings,
    score: PyReadonlyArray1<'py, f64>,
    ties: &str,
    single: bool,
    names: Option<Py<Names>>,
    attribute: Option<Py<Attribute>>,
    depth: Option<u32>,
) -> PyResult<Bound<'py, PyDict>> {
    let (topic, score) = (topic.as_array(), score.as_array());
    let fits = topic.len() == document.0.len() && topic.len() == score.len();
    if !fits || topic.iter().any(|t| *t as usize >= topics.0.len()) {
        return Err(PyValueError::new_err("the columns of the run do not fit each other"));
    }
    let mut gathered: Vec<Topic> = topics.0.iter().map(|t| Topic { name: t.to_vec(), ..Topic::default() }).collect();
    for (row, (t, s)) in topic.iter().zip(score).enumerate() {
        if !s.is_finite() {
            return Err(PyValueError::new_err(format!("row {row}: score {s} is not a finite number")));
        }
        let key = if single { f64::from(*s as f32) } else { *s };
        gathered[*t as usize].push(document.0.get(row), key, row as u64 + 1);
    }
    let wanted = wanted(ties, single, names, attribute, depth)?;
    let (mut ranked, mut problems) = (Ranked::default(), Problems::default());
    for topic in gathered.iter().filter(|t| !t.keys.is_empty()) {
        if let Err(stop) = ranked.add(topic, &wanted, &mut problems) {
            let out = PyDict::new(py);
            put_only(&out, stop)?;
            return Ok(out);
        }
    }
    problems.finish();
    let out = PyDict::new(py);
    put_problems(&out, &problems)?;
    put_ranked(&out, ranked, &wanted)?;
    Ok(out)
}

/// The ranked run as arrays: by topic of the names, and (the documents themselves) by topic of the run.
fn put_ranked(out: &Bound<'_, PyDict>, ranked: Ranked, wanted: &Wanted) -> PyResult<()> {
    let py = out.py();
    if let Some(names) = &wanted.names {
        let topics = names.topics.len();
        let mut row_of = vec![None; topics];
        let mut unknown = Vec::new();
        for (row, topic) in ranked.topics.iter().enumerate() {
            match names.topic(topic) {
                Some(t) => row_of[t] = Some(row),
                None => unknown.push(PyString::from_bytes(py, topic)?),
            }
        }
        let mut found = Vec::new();
        let mut ends = vec![0i64];
        for row in &row_of {
            found.extend(row.iter().flat_map(|row| ranked.found_of(*row)));
            ends.push(found.len() as i64);
        }
        let column = |of: &dyn Fn(&rank::Found) -> u32| {
            found.iter().map(|f| of(f) as i32).collect::<Vec<i32>>().into_pyarray(py)
        };
        out.set_item("starts", ends.into_pyarray(py))?;
        out.set_item("document", column(&|f| f.document))?;
        out.set_item("rank", column(&|f| f.rank))?;
        out.set_item("tie_first", column(&|f| f.tie_first))?;
        out.set_item("tie_last", column(&|f| f.tie_last))?;
        if wanted.attribute.is_some() {
            out.set_item("above", found.iter().map(|f| f.above).collect::<Vec<f64>>().into_pyarray(py))?;
        }
        let count = |of: &dyn Fn(&rank::Row) -> u32| {
            let of_topic = |row: &Option<usize>| row.map_or(0, |row| of(&ranked.rows[row])) as i32;
            row_of.iter().map(of_topic).collect::<Vec<i32>>().into_pyarray(py)
        };
        out.set_item("retrieved", count(&|r| r.retrieved))?;
        out.set_item("tied", count(&|r| r.tied))?;
        out.set_item("unknown", unknown)?;
    }
    if wanted.depth.is_some() {
        let mut ends = vec![0i64];
        ends.extend(ranked.rows.iter().map(|r| r.kept as i64));
        out.set_item("kept_starts", ends.into_pyarray(py))?;
        out.set_item("documents", Strings(ranked.documents))?;
        out.set_item("scores", ranked.keys.into_pyarray(py))?;
    }
    let retrieved: Vec<i64> = ranked.rows.iter().map(|r| i64::from(r.retrieved)).collect();
    out.set_item("run_retrieved", retrieved.into_pyarray(py))?;
    out.set_item("run_topics", Strings(ranked.topics))
}

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::{Attribute, Names, Strings, rank_run, read_qrels, read_run};
}
