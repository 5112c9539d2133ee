//! Any bytes as qrels: no panic; columns of one length, numbers in range, no judgment twice.
#![no_main]

use std::collections::HashSet;
use std::sync::Arc;

use cranfield_native::names::Names;
use cranfield_native::qrels::{Reading, read_qrels};
use cranfield_native::source::Limits;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, bytes)) = bytes.split_first() else { return };
    let reading = Reading { gains: choice & 1 > 0, subtopics: choice & 2 > 0 };
    let Ok(file) = tempfile::NamedTempFile::new_in("/dev/shm") else { return };
    if std::fs::write(file.path(), bytes).is_err() {
        return;
    }
    let limits = Limits { bytes: 1 << 22, ratio: 100, line: 300, ..Limits::default() };
    let Ok(read) = read_qrels(file.path(), reading, limits, &Arc::default()) else { return };
    let rows = read.grade.len();
    assert!(rows == read.topic.len() && rows == read.iteration.len() && rows == read.document.len());
    assert!(read.grade.iter().all(|grade| grade.is_finite() && (reading.gains || grade.abs() <= 10_000.0)));
    let mut seen = HashSet::new();
    for i in 0..rows {
        let topic = read.topics.get(read.topic[i] as usize);
        let iteration = read.iterations.get(read.iteration[i] as usize);
        let subtopic = if reading.subtopics { iteration } else { b"" };
        assert!(seen.insert((topic, subtopic, read.document.get(i))));
    }
    if !reading.subtopics {
        let (names, places) = Names::join(&[(read.topics.clone(), read.topic, read.document.clone())]);
        assert_eq!(names.documents.len(), rows);
        places[0].iter().enumerate().for_each(|(i, place)| {
            assert_eq!(names.documents.get(*place as usize), read.document.get(i));
        });
    }
});
