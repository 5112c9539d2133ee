//! Any bytes as a run: no panic; one part or many, scattered or grouped, the same rankings.
#![no_main]

use std::path::Path;
use std::sync::Arc;

use cranfield_native::names::Names;
use cranfield_native::rank::{Ties, Wanted};
use cranfield_native::run::{Parts, RunRead, read_run};
use cranfield_native::source::{Limits, Stop};
use cranfield_native::strings::Strings;
use cranfield_native::walk::Format;
use libfuzzer_sys::fuzz_target;

fn names() -> Arc<Names> {
    let topics: Strings = [b"7".as_slice(), b"8"].into_iter().collect();
    let documents: Strings = [b"a".as_slice(), b"b", b"7", b"a"].into_iter().collect();
    Arc::new(Names::join(&[(topics, vec![0, 0, 0, 1], documents)]).0)
}

fn read(path: &Path, wanted: &Wanted, most: usize) -> Result<RunRead, Stop> {
    let limits = Limits { bytes: 1 << 22, ratio: 100, line: 300, ..Limits::default() };
    read_run(path, wanted, Parts { most, least: 1 }, limits, &Arc::default())
}

fn said(read: &RunRead) -> Vec<String> {
    let problems = read.problems.kept().iter().map(|problem| format!("{problem:?}"));
    problems.chain([format!("{:?} {} {} {}", read.problems.counts(), read.lines, read.tag, read.header)]).collect()
}

fn same_rankings(a: &RunRead, b: &RunRead) {
    assert!(a.ranked.topics == b.ranked.topics);
    assert!(a.ranked.rows == b.ranked.rows);
    assert!(a.ranked.found == b.ranked.found);
    assert!(a.ranked.documents == b.ranked.documents);
    assert!(a.ranked.keys == b.ranked.keys);
}

/// The lines of the topics, together; only of a plain text whose every line has the columns of a run.
fn grouped(bytes: &[u8], format: Format, wanted: &Wanted) -> Option<Vec<u8>> {
    let lines = std::str::from_utf8(bytes).ok().filter(|text| !text.starts_with('\u{feff}'))?.lines();
    let topic = |line: &str| {
        let mut columns = line.split(|c| c <= ' ').filter(|column| !column.is_empty());
        let topic = columns.next().filter(|topic| !topic.starts_with('#'))?;
        (format.fits(columns.count() + 1, wanted) && !line.contains('\0')).then(|| topic.to_owned())
    };
    let mut lines: Vec<_> = lines.map(|line| Some((topic(line)?, line))).collect::<Option<_>>()?;
    let mut order: Vec<String> = Vec::new();
    lines.iter().for_each(|(topic, _)| {
        if !order.contains(topic) {
            order.push(topic.clone())
        }
    });
    lines.sort_by_key(|(topic, _)| order.iter().position(|other| other == topic));
    Some(lines.iter().flat_map(|(_, line)| [line.as_bytes(), b"\n"].concat()).collect())
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, bytes)) = bytes.split_first() else { return };
    let wanted = Wanted {
        ties: [Ties::Trec, Ties::DocnoAsc, Ties::Input, Ties::Rank][choice as usize % 4],
        trec_eval_9: choice & 4 > 0,
        names: (choice & 8 > 0).then(names),
        depth: (choice & 16 > 0).then_some(3),
        ..Wanted::default()
    };
    let Ok(file) = tempfile::NamedTempFile::new_in("/dev/shm") else { return };
    let path = file.path();
    if std::fs::write(path, bytes).is_err() {
        return;
    }
    let one = read(path, &wanted, 1);
    for most in [2, 7] {
        match (&one, read(path, &wanted, most)) {
            (Ok(one), Ok(many)) => {
                same_rankings(one, &many);
                assert_eq!(said(one), said(&many));
                assert_eq!(one.digest, many.digest);
            }
            (Err(one), Err(many)) => assert_eq!(format!("{one:?}"), format!("{many:?}")),
            _ => panic!("{most} parts make a difference"),
        }
    }
    // A bad line does not make its topic appear, so with errors the order of topics may differ.
    if let Ok(one) = one
        && !one.problems.has_errors()
        && let Some(lines) = grouped(bytes, one.format, &wanted)
        && std::fs::write(path, lines).is_ok()
        && let Ok(together) = read(path, &wanted, 1)
        && together.format == one.format
    {
        assert!(!together.problems.counts().contains_key("W-SCATTERED"));
        same_rankings(&one, &together);
    }
});
