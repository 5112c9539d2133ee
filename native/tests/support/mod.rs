//! What the tests of the reader share: files from bytes, and small deterministic randomness.
#![allow(dead_code, reason = "every test file takes what it needs")]

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use cranfield_native::found::Found;
use cranfield_native::names::Names;
use cranfield_native::problem::Problems;
use cranfield_native::rank::{Row, Wanted};
use cranfield_native::run::{Parts, RunRead, read_run};
use cranfield_native::source::{Limits, Stop};
use cranfield_native::strings::Strings;

pub fn file(bytes: impl AsRef<[u8]>) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes.as_ref()).unwrap();
    file
}

pub fn strings<'a>(all: impl IntoIterator<Item = &'a str>) -> Strings {
    all.into_iter().map(str::as_bytes).collect()
}

/// Parts so small that any file has several.
pub fn tiny(most: usize) -> Parts {
    Parts { most, least: 1 }
}

pub fn run_at(path: &Path, wanted: &Wanted, parts: Parts) -> Result<RunRead, Stop> {
    read_run(path, wanted, parts, Limits::default(), &Arc::default())
}

pub fn run(bytes: impl AsRef<[u8]>, wanted: &Wanted) -> RunRead {
    run_at(file(bytes).path(), wanted, tiny(1)).unwrap_or_else(|stop| panic!("{stop:?}"))
}

/// Everything a run yields, in a form that can be compared.
pub struct Yield {
    pub topics: Strings,
    pub rows: Vec<Row>,
    pub found: Found,
    pub documents: Strings,
    pub keys: Vec<f64>,
    pub problems: Vec<String>,
    pub counts: Vec<(&'static str, u64)>,
    pub about: (u64, String, String, String),
}

pub fn yielded(read: Result<RunRead, Stop>) -> Result<Yield, String> {
    let read = read.map_err(|stop| format!("{stop:?}"))?;
    Ok(Yield {
        problems: said(&read.problems),
        counts: read.problems.counts().iter().map(|(code, count)| (*code, *count)).collect(),
        about: (read.lines, read.tag, read.header, read.digest),
        topics: read.ranked.topics,
        rows: read.ranked.rows,
        found: read.ranked.found,
        documents: read.ranked.documents,
        keys: read.ranked.keys,
    })
}

/// Panics with the first thing that differs, not with all of both.
pub fn assert_same(a: &Result<Yield, String>, b: &Result<Yield, String>, when: &str) {
    match (a, b) {
        (Ok(a), Ok(b)) => {
            assert_eq!(a.about, b.about, "{when}");
            assert_eq!(a.problems, b.problems, "{when}");
            assert_eq!(a.counts, b.counts, "{when}");
            assert!(a.topics == b.topics, "topics differ: {when}");
            assert!(a.rows == b.rows, "rows differ: {when}");
            assert!(a.found == b.found, "found documents differ: {when}");
            assert!((&a.documents, &a.keys) == (&b.documents, &b.keys), "kept documents differ: {when}");
        }
        _ => assert_eq!(a.as_ref().err(), b.as_ref().err(), "{when}"),
    }
}

pub fn said(problems: &Problems) -> Vec<String> {
    problems.kept().iter().map(|p| format!("{}:{} {}", p.code, p.line, p.message)).collect()
}

pub fn codes(problems: &Problems) -> Vec<(&'static str, u64)> {
    problems.kept().iter().map(|p| (p.code, p.line)).collect()
}

pub fn code<T>(end: Result<T, Stop>) -> (&'static str, u64) {
    match end {
        Err(Stop::Problem(problem)) => (problem.code, problem.line),
        Err(_) => ("stopped", 0),
        Ok(_) => ("read", 0),
    }
}

/// The documents "d0", "d3", "d6" … of each topic are named.
pub fn every_third(topics: &[&str], documents: usize) -> Arc<Names> {
    let names: Vec<String> = (0..documents).step_by(3).map(|d| format!("d{d}")).collect();
    let topic = (0..topics.len() as u32).flat_map(|t| vec![t; names.len()]).collect();
    let all = topics.iter().flat_map(|_| names.iter().map(String::as_str));
    Arc::new(Names::join(&[(strings(topics.iter().copied()), topic, strings(all))]).0)
}

/// Random numbers that are the same every time (Knuth's MMIX generator).
pub struct Draws(pub u64);

impl Draws {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub fn choose<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
}
