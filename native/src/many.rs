//! Many runs at once.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::channel;

use crate::found::Found;
use crate::rank::Wanted;
use crate::run::{Parts, RunRead, read_run};
use crate::source::{Control, Limits, Stop};

pub type Read = Result<RunRead, Stop>;

/// What the caller and the threads say to each other about each of many files.
pub fn controls(files: usize) -> Vec<Arc<Control>> {
    (0..files).map(|_| Arc::default()).collect()
}

/// Many runs in the order of their files, and the named documents of all of them in one piece: a campaign has millions,
/// and joining them while others are still read is not waited for.
#[derive(Default)]
pub struct Reads {
    pub runs: Vec<Read>,
    pub found: Found,
}

impl Reads {
    fn push(&mut self, mut read: Read) {
        if let Ok(read) = &mut read {
            self.found.append(std::mem::take(&mut read.ranked.found));
        }
        self.runs.push(read);
    }
}

/// Read every run, in the order of the paths: large files one after the other in parts, many side by side. Behind one
/// that has errors nothing more is read.
pub fn read_runs(
    paths: &[PathBuf],
    wanted: &Wanted,
    threads: usize,
    limits: Limits,
    controls: &[Arc<Control>],
) -> Reads {
    let read = |i: usize, threads: usize| {
        let read = read_run(&paths[i], wanted, Parts::new(threads), limits, &controls[i]);
        if read.as_ref().map_or(true, |read| read.problems.has_errors()) {
            controls[i + 1..].iter().for_each(|control| control.stop.store(true, Relaxed));
        }
        read
    };
    let mut reads = Reads::default();
    if threads < 2 || paths.len() < 2 * threads {
        (0..paths.len()).for_each(|i| reads.push(read(i, threads)));
        return reads;
    }
    let next = AtomicUsize::new(0);
    let (send, done) = channel();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (send, next, read) = (send.clone(), &next, &read);
            scope.spawn(move || {
                loop {
                    let i = next.fetch_add(1, Relaxed);
                    // Whoever joins them listens until all are through.
                    if i >= paths.len() || send.send((i, read(i, 1))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        let mut early: Vec<Option<Read>> = paths.iter().map(|_| None).collect();
        for (i, read) in done {
            early[i] = Some(read);
            while let Some(read) = early.get_mut(reads.runs.len()).and_then(Option::take) {
                reads.push(read);
            }
        }
    });
    reads
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Names;
    use crate::strings::Strings;

    fn files(folder: &tempfile::TempDir, texts: &[String]) -> Vec<PathBuf> {
        let write = |(i, text): (usize, &String)| {
            let path = folder.path().join(format!("{i:02}"));
            std::fs::write(&path, text).unwrap();
            path
        };
        texts.iter().enumerate().map(write).collect()
    }

    fn wanted() -> Wanted {
        let documents: Strings =
            (0..50).map(|d| format!("d{d}").into_bytes()).collect::<Vec<_>>().iter().map(Vec::as_slice).collect();
        let names = Names::join(&[([b"7".as_slice()].into_iter().collect(), vec![0; 50], documents)]).0;
        Wanted { names: Some(Arc::new(names)), ..Wanted::default() }
    }

    fn run(i: usize) -> String {
        (0..90).map(|d| format!("7 Q0 d{} {d} {} t\n", (d * 7 + i) % 101, 100 - d)).collect()
    }

    #[test]
    fn many_side_by_side_are_each_of_them_alone() {
        let folder = tempfile::tempdir().unwrap();
        let paths = files(&folder, &(0..9).map(run).collect::<Vec<_>>());
        let wanted = wanted();
        let mut found = Found::default();
        let mut digests = Vec::new();
        for path in &paths {
            let read = read_run(path, &wanted, Parts::new(1), Limits::default(), &Arc::default()).unwrap();
            assert!(!read.ranked.found.is_empty());
            found.append(read.ranked.found);
            digests.push(read.digest);
        }
        for threads in [1, 2, 4] {
            let all = read_runs(&paths, &wanted, threads, Limits::default(), &controls(9));
            assert_eq!(all.found, found);
            assert_eq!(all.runs.into_iter().map(|read| read.unwrap().digest).collect::<Vec<_>>(), digests);
        }
    }

    #[test]
    fn behind_a_run_with_errors_nothing_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let mut texts: Vec<_> = (0..9).map(run).collect();
        texts[3] = "7 Q0 a 1 nan t\n".into();
        for (threads, missing) in [(1, false), (3, false), (1, true), (3, true)] {
            let paths = files(&folder, &texts);
            if missing {
                std::fs::remove_file(&paths[3]).unwrap();
            }
            let controls = controls(9);
            let all = read_runs(&paths, &wanted(), threads, Limits::default(), &controls).runs;
            assert!(all[..3].iter().all(|read| read.as_ref().is_ok_and(|read| !read.problems.has_errors())));
            match &all[3] {
                Ok(read) => assert!(!missing && read.problems.has_errors()),
                Err(stop) => assert!(missing && matches!(stop, Stop::Problem(problem) if problem.code == "E-MISSING")),
            }
            assert!(controls[4..].iter().all(|control| control.stop.load(Relaxed)));
            assert!(threads > 1 || all[4..].iter().all(|read| matches!(read, Err(Stop::Interrupted))));
        }
    }
}
