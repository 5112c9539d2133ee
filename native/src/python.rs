//! The door to Python: NumPy arrays out, Arrow columns or lists of strings in.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::checks::{Checks, Ids, report_depth};
use crate::found::Found;
use crate::many;
use crate::met::Met;
use crate::numbered::MOST;
use crate::problem::{Problem, Problems, shown};
use crate::qrels;
use crate::rank::{Ranked, Ties, Topic, Wanted};
use crate::run;
use crate::source::{Control, Limits, Stop};

mod ahead;
mod values;

use values::{Attribute, Names, Strings};

fn wanted(
    ties: &str,
    trec_eval_9: bool,
    without_self: bool,
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
    Ok(Wanted { ties, trec_eval_9, without_self, names, attribute, depth, ..Wanted::default() })
}

/// Do the work on a thread of its own, and wait for it.
fn attended<T: Send + 'static>(
    py: Python<'_>,
    controls: &[Arc<Control>],
    progress: Option<Py<PyAny>>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (send, done) = channel();
    std::thread::Builder::new().spawn(move || send.send(work()))?;
    awaited(py, controls, progress, done)
}

/// Wait for work on other threads, listen for Ctrl-C meanwhile and report progress. Who is told to stop leaves at once: a
/// thread that waits for a pipe to speak cannot be woken, and ends by itself when the pipe does.
fn awaited<T: Send>(
    py: Python<'_>,
    controls: &[Arc<Control>],
    progress: Option<Py<PyAny>>,
    done: Receiver<T>,
) -> PyResult<T> {
    py.detach(move || {
        loop {
            match done.recv_timeout(Duration::from_millis(100)) {
                Ok(result) => return Ok(result),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(PyValueError::new_err("the reader failed; please report this file"));
                }
            }
            let read: u64 = controls.iter().map(|control| control.done.load(Relaxed)).sum();
            let heard = Python::attach(|py| {
                py.check_signals()?;
                progress.as_ref().map_or(Ok(()), |p| p.call1(py, (read,)).map(drop))
            });
            if let Err(stopped) = heard {
                controls.iter().for_each(|control| control.stop.store(true, Relaxed));
                return Err(stopped);
            }
        }
    })
}

/// What a file may cost, as Python says it: a limit by each name of `Limits`; one that is not named is as usual.
fn found_limits(named: Option<&Bound<'_, PyDict>>) -> PyResult<Limits> {
    let mut limits = Limits::default();
    for (name, most) in named.into_iter().flatten() {
        let (name, most) = (name.extract::<String>()?, most.extract::<u64>()?);
        match name.as_str() {
            "bytes" => limits.bytes = most,
            "ratio" => limits.ratio = most.max(1),
            "line" => limits.line = most as usize,
            "lines" => limits.lines = most,
            "topics" => limits.topics = (most as usize).min(MOST),
            "documents" => limits.documents = (most as usize).min(MOST),
            _ => return Err(PyValueError::new_err(format!("no such limit: {name}"))),
        }
    }
    Ok(limits)
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
#[pyo3(signature = (path, *, gains=false, subtopics=false, limits=None, progress=None))]
fn read_qrels<'py>(
    py: Python<'py>,
    path: PathBuf,
    gains: bool,
    subtopics: bool,
    limits: Option<&Bound<'py, PyDict>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let control = Arc::new(Control::default());
    let (usual, limits) = (limits.is_none(), found_limits(limits)?);
    let reading = qrels::Reading { gains, subtopics };
    let heard = control.clone();
    let begun = if usual && !gains && !subtopics { ahead::judgments(&path) } else { None };
    let read = match begun {
        Some((judging, controls)) => {
            let (read, joined) = awaited(py, &controls, progress, judging)?;
            ahead::know(joined);
            read
        }
        None => attended(py, &[control], progress, move || qrels::read_qrels(&path, reading, limits, &heard))?,
    };
    let out = PyDict::new(py);
    match read {
        Err(stop) => put_only(&out, stop)?,
        Ok(read) => {
            out.set_item("lines", read.lines)?;
            out.set_item("header", &read.header)?;
            out.set_item("digest", &read.digest)?;
            put_judgments(&out, read)?;
        }
    }
    Ok(out)
}

fn put_judgments(out: &Bound<'_, PyDict>, read: qrels::QrelsRead) -> PyResult<()> {
    let py = out.py();
    put_problems(out, &read.problems)?;
    out.set_item("topics", Strings(read.topics))?;
    out.set_item("topic", read.topic.into_pyarray(py))?;
    out.set_item("iterations", Strings(read.iterations))?;
    out.set_item("iteration", read.iteration.into_pyarray(py))?;
    out.set_item("document", Strings(read.document))?;
    out.set_item("grade", read.grade.into_pyarray(py))
}

/// Begin to read judgments and runs that will be asked for in the usual way, and return at once.
#[pyfunction]
#[pyo3(signature = (qrels, runs, *, trec_eval_9=false, threads=1))]
fn read_ahead(qrels: PathBuf, runs: Vec<PathBuf>, trec_eval_9: bool, threads: usize) -> PyResult<()> {
    Ok(ahead::begin(qrels, runs, trec_eval_9, threads)?)
}

/// Read runs from text files: rank every topic, match the named documents, keep the first `depth` documents. Behind a run
/// that has errors nothing more is read. What was found stands beside the runs, in one piece for all of them.
#[pyfunction]
#[pyo3(signature = (paths, *, ties="trec", trec_eval_9=false, extra_columns=false, without_self=false, names=None, attribute=None, depth=None, threads=1, limits=None,
    progress=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of a Python function")]
fn read_runs<'py>(
    py: Python<'py>,
    paths: Vec<PathBuf>,
    ties: &str,
    trec_eval_9: bool,
    extra_columns: bool,
    without_self: bool,
    names: Option<Py<Names>>,
    attribute: Option<Py<Attribute>>,
    depth: Option<u32>,
    threads: usize,
    limits: Option<&Bound<'py, PyDict>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Vec<Bound<'py, PyDict>>, Bound<'py, PyDict>)> {
    let (usual, limits) = (limits.is_none(), found_limits(limits)?);
    let wanted = Wanted { extra_columns, ..wanted(ties, trec_eval_9, without_self, names, attribute, depth)? };
    let read = match ahead::runs(&paths, &wanted, usual) {
        Some((reading, controls)) => awaited(py, &controls, progress, reading)?,
        None => {
            let controls = many::controls(paths.len());
            let (asked, heard) = (wanted.clone(), controls.clone());
            let work = move || many::read_runs(&paths, &asked, threads, limits, &heard);
            attended(py, &controls, progress, work)?
        }
    };
    let runs: PyResult<_> = read.runs.into_iter().map(|read| run_as_dict(py, read, &wanted)).collect();
    let found = PyDict::new(py);
    put_found(&found, read.found, &wanted)?;
    Ok((runs?, found))
}

fn run_as_dict<'py>(py: Python<'py>, read: many::Read, wanted: &Wanted) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    match read {
        Err(stop) => put_only(&out, stop)?,
        Ok(read) => {
            put_problems(&out, &read.problems)?;
            put_ranked(&out, read.ranked, read.met, wanted)?;
            out.set_item("lines", read.lines)?;
            out.set_item("tag", read.tag)?;
            out.set_item("header", read.header)?;
            out.set_item("digest", read.digest)?;
        }
    }
    Ok(out)
}

/// Read the comment lines at the head of a text file, and nothing else of it.
#[pyfunction]
#[pyo3(signature = (path, *, limits=None))]
fn read_header<'py>(
    py: Python<'py>,
    path: PathBuf,
    limits: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let control = Arc::new(Control::default());
    let limits = found_limits(limits)?;
    let heard = control.clone();
    let out = PyDict::new(py);
    match attended(py, &[control], None, move || run::read_header(&path, limits, &heard))? {
        Err(stop) => put_only(&out, stop)?,
        Ok(header) => {
            put_problems(&out, &Problems::default())?;
            out.set_item("header", header)?;
        }
    }
    Ok(out)
}

/// Rank a run that is in memory: the distinct topics, the number of the topic of each row, its document and its score.
/// Rows may have a rank (NaN: none), the line where they stand, and whether their score was rounded.
#[pyfunction]
#[pyo3(signature = (topics, topic, document, score, *, rank=None, line=None, rounded=None, ties="trec",
    trec_eval_9=false, without_self=false, names=None, attribute=None, depth=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of a Python function")]
fn rank_run<'py>(
    py: Python<'py>,
    topics: &Strings,
    topic: PyReadonlyArray1<'py, u32>,
    document: &Strings,
    score: PyReadonlyArray1<'py, f64>,
    rank: Option<PyReadonlyArray1<'py, f64>>,
    line: Option<PyReadonlyArray1<'py, u64>>,
    rounded: Option<PyReadonlyArray1<'py, bool>>,
    ties: &str,
    trec_eval_9: bool,
    without_self: bool,
    names: Option<Py<Names>>,
    attribute: Option<Py<Attribute>>,
    depth: Option<u32>,
) -> PyResult<Bound<'py, PyDict>> {
    let (topic, score) = (topic.as_array(), score.as_array());
    let (rank, line) = (rank.as_ref().map(|rank| rank.as_array()), line.as_ref().map(|line| line.as_array()));
    let rounded = rounded.as_ref().map(|rounded| rounded.as_array());
    let lengths = [Some(document.0.len()), Some(score.len()), rank.map(|r| r.len()), line.map(|l| l.len())];
    let fits = lengths.into_iter().chain([rounded.map(|r| r.len())]).flatten().all(|length| length == topic.len());
    if !fits || topic.iter().any(|t| *t as usize >= topics.0.len()) {
        return Err(PyValueError::new_err("the columns of the run do not fit each other"));
    }
    let wanted = wanted(ties, trec_eval_9, without_self, names, attribute, depth)?;
    let mut gathered: Vec<Topic> = topics.0.iter().map(|t| Topic { name: t.to_vec(), ..Topic::default() }).collect();
    let (mut ranked, mut problems, mut checks) = (Ranked::default(), Problems::default(), Checks::default());
    let (mut earlier, mut ids) = (vec![None; gathered.len()], Ids::default());
    for (row, (t, s)) in topic.iter().zip(score).enumerate() {
        if !s.is_finite() {
            return Err(PyValueError::new_err(format!("row {row}: score {s} is not a finite number")));
        }
        let (t, line) = (*t as usize, line.map_or(row as u64 + 1, |line| line[row]));
        let score = if trec_eval_9 { f64::from(*s as f32) } else { *s };
        let mut key = score;
        if let Some(rank) = rank {
            let rank = Some(rank[row]).filter(|rank| rank.is_finite());
            checks.see_rank(&mut earlier[t], score, rank, line, &gathered[t].name);
            if let (Ties::Rank, Some(rank)) = (wanted.ties, rank) {
                key = 0.0 - rank;
            }
        }
        if rounded.is_some_and(|rounded| rounded[row]) {
            checks.rounded.see(line, || shown(&gathered[t].name));
        }
        let document = document.0.get(row);
        ids.see(document, "document", line, &mut problems);
        gathered[t].push(document, key, line);
    }
    let put = |result: Result<(), Stop>| {
        let out = PyDict::new(py);
        result.err().map_or(Ok(None), |stop| put_only(&out, stop).map(|()| Some(out)))
    };
    for topic in gathered.iter().filter(|t| !t.keys.is_empty()) {
        ids.see(&topic.name, "topic", topic.lines[0], &mut problems);
        if let Some(out) = put(ranked.add(topic, &wanted, &mut problems))? {
            return Ok(out);
        }
    }
    ids.report(&mut problems);
    checks.report_scores(&ranked, wanted.ties == Ties::Rank, &mut problems);
    report_depth(&ranked, &mut problems);
    problems.finish();
    let out = PyDict::new(py);
    put_problems(&out, &problems)?;
    let met = wanted.names.as_ref().map(|names| Met::of(&mut ranked, names));
    put_found(&out, std::mem::take(&mut ranked.found), &wanted)?;
    put_ranked(&out, ranked, met, &wanted)?;
    Ok(out)
}

/// Check judgments that are in memory, as `read_qrels` checks those of a file: the topic, the document and the grade of
/// each row, perhaps its subtopic and the line where it stands.
#[pyfunction]
#[pyo3(signature = (topic, document, grade, *, iteration=None, line=None, gains=false, subtopics=false))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of a Python function")]
fn check_qrels<'py>(
    py: Python<'py>,
    topic: &Strings,
    document: &Strings,
    grade: PyReadonlyArray1<'py, f64>,
    iteration: Option<&Strings>,
    line: Option<PyReadonlyArray1<'py, u64>>,
    gains: bool,
    subtopics: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let (grade, line) = (grade.as_array(), line.as_ref().map(|line| line.as_array()));
    let lengths = [Some(topic.0.len()), Some(document.0.len()), iteration.map(|i| i.0.len()), line.map(|l| l.len())];
    if !lengths.into_iter().flatten().all(|length| length == grade.len()) {
        return Err(PyValueError::new_err("the columns of the judgments do not fit each other"));
    }
    let rows = grade.iter().enumerate().map(|(row, grade)| qrels::Judgment {
        topic: topic.0.get(row),
        iteration: iteration.map_or(b"0".as_slice(), |iteration| iteration.0.get(row)),
        document: document.0.get(row),
        grade: *grade,
        line: line.map_or(row as u64 + 1, |line| line[row]),
    });
    let out = PyDict::new(py);
    match qrels::check_rows(rows, qrels::Reading { gains, subtopics }) {
        Err(stop) => put_only(&out, stop)?,
        Ok(read) => put_judgments(&out, read)?,
    }
    Ok(out)
}

/// Where named documents were found, as arrays; run by run where there are many.
fn put_found(out: &Bound<'_, PyDict>, found: Found, wanted: &Wanted) -> PyResult<()> {
    let py = out.py();
    if wanted.names.is_none() {
        return Ok(());
    }
    out.set_item("document", found.document.into_pyarray(py))?;
    out.set_item("rank", found.rank.into_pyarray(py))?;
    if !found.tie_first.is_empty() {
        out.set_item("tie_first", found.tie_first.into_pyarray(py))?;
        out.set_item("tie_last", found.tie_last.into_pyarray(py))?;
    }
    if wanted.attribute.is_some() {
        out.set_item("above", found.above.into_pyarray(py))?;
    }
    Ok(())
}

/// The rest of a ranked run as arrays: by topic of the names, and (the documents themselves) by topic of the run.
fn put_ranked(out: &Bound<'_, PyDict>, ranked: Ranked, met: Option<Met>, wanted: &Wanted) -> PyResult<()> {
    let py = out.py();
    if let Some(met) = met {
        let unknown: PyResult<Vec<_>> = met.unknown.iter().map(|topic| PyString::from_bytes(py, topic)).collect();
        out.set_item("starts", met.starts.into_pyarray(py))?;
        out.set_item("retrieved", met.retrieved.into_pyarray(py))?;
        out.set_item("tied", met.tied.into_pyarray(py))?;
        out.set_item("unknown", unknown?)?;
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
    use super::{Attribute, Names, Strings, check_qrels, rank_run, read_ahead, read_header, read_qrels, read_runs};
}
