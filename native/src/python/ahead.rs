//! Reading that was begun before anybody asked: a command starts it, and Python loads numpy meanwhile.

use std::path::{Component, Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};

use crate::many::{Reads, controls, read_runs};
use crate::names::Names;
use crate::qrels::{QrelsRead, Reading, read_qrels};
use crate::rank::Wanted;
use crate::source::{Control, Limits, Stop};
use crate::strings::Strings;

/// Judgments with the documents they name, and which of these each row is.
pub type Judged = (Result<QrelsRead, Stop>, Option<Joined>);

/// Work on other threads: where its result will come, and how they hear and tell.
pub type Begun<T> = (Receiver<T>, Vec<Arc<Control>>);

#[derive(Clone)]
pub struct Joined {
    pub names: Arc<Names>,
    pub rows: Vec<u32>,
}

impl Joined {
    /// Whether joining a table would yield just this.
    fn is_of(&self, topics: &Strings, topic: &[u32], documents: &Strings) -> bool {
        let names = &self.names;
        let same = |(row, (t, document)): (&u32, (&u32, &[u8]))| {
            names.of(*t as usize).contains(&(*row as usize)) && names.documents.get(*row as usize) == document
        };
        names.topics == *topics
            && self.rows.len() == documents.len()
            && self.rows.iter().zip(topic.iter().zip(documents.iter())).all(same)
    }
}

/// What was begun, and what has come of it so far.
struct Ahead {
    qrels: PathBuf,
    runs: Vec<PathBuf>,
    trec_eval_9: bool,
    judging: Option<Begun<Judged>>,
    joined: Option<Joined>,
    reading: Option<Begun<Reads>>,
}

/// What is not asked for in these words is read when it is asked for, as if nothing had been begun.
static AHEAD: Mutex<Option<Ahead>> = Mutex::new(None);

fn with<T>(of: impl FnOnce(&mut Option<Ahead>) -> T) -> T {
    of(&mut AHEAD.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
}

impl Drop for Ahead {
    fn drop(&mut self) {
        for control in self.reading.iter().flat_map(|(_, controls)| controls) {
            control.stop.store(true, Relaxed);
        }
    }
}

/// Begin to read judgments and the runs that they judge, in usual order.
pub fn begin(qrels: PathBuf, runs: Vec<PathBuf>, trec_eval_9: bool, threads: usize) -> std::io::Result<()> {
    let (judged, judging) = channel();
    let (read, reading) = channel();
    let (control, others) = (Arc::new(Control::default()), controls(runs.len()));
    let (path, paths, heard, heard_by) = (qrels.clone(), runs.clone(), control.clone(), others.clone());
    std::thread::Builder::new().spawn(move || {
        let limits = Limits::default();
        let found = read_qrels(&path, Reading::default(), limits, &heard);
        let joined = found.as_ref().ok().filter(|found| !found.problems.has_errors()).map(|found| {
            let table = (found.topics.clone(), found.topic.clone(), found.document.clone());
            let (names, mut rows) = Names::join(&[table]);
            Joined { names: Arc::new(names), rows: rows.swap_remove(0) }
        });
        let names = joined.as_ref().map(|joined| joined.names.clone());
        // Nobody listens where Python asked for something else.
        let _ = judged.send((found, joined));
        if names.is_some() {
            let wanted = Wanted { names, trec_eval_9, ..Wanted::default() };
            let _ = read.send(read_runs(&paths, &wanted, threads, limits, &heard_by));
        }
    })?;
    let (judging, reading) = (Some((judging, vec![control])), Some((reading, others)));
    with(|ahead| *ahead = Some(Ahead { qrels, runs, trec_eval_9, judging, joined: None, reading }));
    Ok(())
}

/// Whether two paths are one for Python, which writes `./x` as `x`.
fn same(a: &Path, b: &Path) -> bool {
    fn parts(path: &Path) -> impl Iterator<Item = Component<'_>> {
        path.components().filter(|part| *part != Component::CurDir)
    }
    parts(a).eq(parts(b))
}

/// Judgments that are being read, if they are those of this file.
pub fn judgments(path: &Path) -> Option<Begun<Judged>> {
    with(|ahead| ahead.as_mut().filter(|ahead| same(&ahead.qrels, path))?.judging.take())
}

/// The judgments have come: remember what they name.
pub fn know(joined: Option<Joined>) {
    with(|ahead| {
        if let Some(ahead) = ahead {
            ahead.joined = joined;
        }
    });
}

/// The documents that tables name, if that was found out already.
pub fn joined(tables: &[(Strings, Vec<u32>, Strings)]) -> Option<Joined> {
    let [(topics, topic, documents)] = tables else {
        return None;
    };
    with(|ahead| ahead.as_ref()?.joined.clone().filter(|joined| joined.is_of(topics, topic, documents)))
}

/// Runs that are being read, if they are these and wanted in this way; otherwise that reading is given up.
pub fn runs(paths: &[PathBuf], wanted: &Wanted, usual: bool) -> Option<Begun<Reads>> {
    with(|ahead| {
        let mut ahead = ahead.take()?;
        let joined = ahead.joined.take()?;
        let matched = wanted.names.as_ref().is_some_and(|names| Arc::ptr_eq(names, &joined.names));
        let like = Wanted { names: None, trec_eval_9: ahead.trec_eval_9, ..Wanted::default() };
        let here = ahead.runs.len() == paths.len() && ahead.runs.iter().zip(paths).all(|(a, b)| same(a, b));
        if usual && here && matched && wanted.is_but_for_names(&like) { ahead.reading.take() } else { None }
    })
}
