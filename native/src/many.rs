//! Many runs at once.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use crate::rank::Wanted;
use crate::run::{Parts, RunRead, read_run};
use crate::source::{Control, Limits, Stop};

pub type Read = Result<RunRead, Stop>;

/// What the caller and the threads say to each other about each of many files.
pub fn controls(files: usize) -> Vec<Arc<Control>> {
    (0..files).map(|_| Arc::default()).collect()
}

/// Read every run, in the order of the paths: large files one after the other in parts, many side by side. Behind one
/// that has errors nothing more is read.
pub fn read_runs(
    paths: &[PathBuf],
    wanted: &Wanted,
    threads: usize,
    limits: Limits,
    controls: &[Arc<Control>],
) -> Vec<Read> {
    let read = |i: usize, threads: usize| {
        let read = read_run(&paths[i], wanted, Parts::new(threads), limits, &controls[i]);
        if read.as_ref().map_or(true, |read| read.problems.has_errors()) {
            controls[i + 1..].iter().for_each(|control| control.stop.store(true, Relaxed));
        }
        read
    };
    if threads < 2 || paths.len() < 2 * threads {
        return (0..paths.len()).map(|i| read(i, threads)).collect();
    }
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(paths.len())));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Relaxed);
                    if i >= paths.len() {
                        break;
                    }
                    let read = read(i, 1);
                    done.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((i, read));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    done.sort_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, read)| read).collect()
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
        let alone: Vec<_> = paths
            .iter()
            .map(|path| read_run(path, &wanted, Parts::new(1), Limits::default(), &Arc::default()).unwrap())
            .collect();
        for threads in [1, 2, 4] {
            let all = read_runs(&paths, &wanted, threads, Limits::default(), &controls(9));
            assert_eq!(all.len(), 9);
            for (read, alone) in all.into_iter().zip(&alone) {
                let read = read.unwrap();
                assert!(read.ranked.found == alone.ranked.found && !read.ranked.found.is_empty());
                assert_eq!(read.digest, alone.digest);
            }
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
            let all = read_runs(&paths, &wanted(), threads, Limits::default(), &controls);
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
