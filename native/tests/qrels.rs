//! Whole qrels: every way people write judgments, and every problem with its line.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may")]

mod support;

use std::collections::HashMap;
use std::sync::Arc;

use cranfield_native::qrels::{QrelsRead, Reading, read_qrels};
use cranfield_native::source::{Limits, Stop};

use support::{Draws, code, codes, file, said, strings};

const PLAIN: Reading = Reading { gains: false, subtopics: false };
const GAINS: Reading = Reading { gains: true, subtopics: false };
const SUBTOPICS: Reading = Reading { gains: false, subtopics: true };

fn attempt(text: impl AsRef<[u8]>, reading: Reading) -> Result<QrelsRead, Stop> {
    read_qrels(file(text).path(), reading, Limits::default(), &Arc::default())
}

fn read(text: impl AsRef<[u8]>, reading: Reading) -> QrelsRead {
    attempt(text, reading).unwrap_or_else(|stop| panic!("{stop:?}"))
}

#[test]
fn judgments_come_out_in_the_order_of_the_file() {
    let text = "# pool of 1999\n7 0 a 1\n9\t0\tb\t0\n7  0  c  -1\r\n";
    let qrels = read(text, PLAIN);
    assert_eq!(qrels.topics, strings(["7", "9"]));
    assert_eq!(qrels.topic, [0, 1, 0]);
    assert_eq!(qrels.iterations, strings(["0"]));
    assert_eq!(qrels.document, strings(["a", "b", "c"]));
    assert_eq!(qrels.grade, [1.0, 0.0, -1.0]);
    assert_eq!((qrels.lines, qrels.header.as_str()), (4, "# pool of 1999\n"));
    assert_eq!(qrels.digest, blake3::hash(text.as_bytes()).to_hex().to_string());
    assert_eq!(codes(&qrels.problems), [("W-CRLF", 4), ("W-NEGATIVE", 4)]);
}

#[test]
fn a_second_judgment_is_a_duplicate_or_a_conflict() {
    let qrels = read("7 0 a 1\n7 0 b 2\n8 0 a 0\n7 1 a 1\n7 1 b 0\n7 0 b 2\n", PLAIN);
    let expected = [
        "E-DUPQREL:4 document a is judged twice in topic 7 (first on line 1)",
        "E-CONFLICT:5 document b has grade 0 in topic 7, but 2 on line 2",
        "E-DUPQREL:6 document b is judged twice in topic 7 (first on line 2)",
    ];
    assert_eq!(said(&qrels.problems), expected);
    assert_eq!(qrels.grade.len(), 3);
}

#[test]
fn subtopics_are_judged_apart() {
    let text = "7 1 a 1\n7 2 a 0\n7 1 b 1\n7 1 a 1\n";
    let qrels = read(text, SUBTOPICS);
    assert_eq!(qrels.iterations, strings(["1", "2"]));
    assert_eq!(qrels.iteration, [0, 1, 0]);
    assert_eq!(codes(&qrels.problems), [("E-DUPQREL", 4)]);
    assert_eq!(codes(&read(text, PLAIN).problems), [("E-CONFLICT", 2), ("E-DUPQREL", 4)]);
}

#[test]
fn grades_are_whole_numbers_unless_gains_are_asked_for() {
    let text = "7 0 a 0.5\n7 0 b 2\n7 0 c 1.0\n7 0 d 50000\n7 0 e 1e2\n";
    let qrels = read(text, PLAIN);
    assert_eq!(codes(&qrels.problems), [("E-DECIMAL", 1), ("E-RANGE", 4)]);
    assert_eq!(qrels.grade, [2.0, 1.0, 100.0]);
    let qrels = read(text, GAINS);
    assert_eq!(codes(&qrels.problems), []);
    assert_eq!(qrels.grade, [0.5, 2.0, 1.0, 50000.0, 100.0]);
    for reading in [PLAIN, GAINS] {
        let qrels = read("7 0 a 1\n7 0 b x\n7 0 c nan\n7 0 d 1e999\n7 0 e \u{663}\n", reading);
        assert_eq!(codes(&qrels.problems), [("E-GRADE", 2), ("E-GRADE", 3), ("E-GRADE", 4), ("E-GRADE", 5)]);
    }
}

#[test]
fn grades_at_the_edge_of_whole_numbers_are_out_of_range() {
    for grade in ["-9223372036854775808", "9223372036854775807", "10001", "-10001"] {
        assert_eq!(codes(&read(format!("7 0 a {grade}\n"), PLAIN).problems), [("E-RANGE", 1)]);
    }
    assert_eq!(codes(&read("7 0 a 10000\n7 0 b -10000\n", PLAIN).problems), [("W-NOZERO", 2)]);
    assert_eq!(codes(&read("7 0 a 1\n7 0 b -1\n7 0 c 0\n", PLAIN).problems), [("W-NEGATIVE", 2)]);
    assert_eq!(code(attempt("corpus-id query-id score\na 7 1\n", PLAIN)), ("E-COLUMNS", 0));
}

#[test]
fn three_columns_are_read_with_and_without_their_names() {
    for heading in ["", "query-id\tcorpus-id\tscore\n"] {
        let qrels = read(format!("{heading}7\ta\t1\n7\tb\t0\n"), PLAIN);
        assert_eq!(qrels.grade, [1.0, 0.0]);
        assert_eq!(qrels.iterations, strings(["0"]));
        assert_eq!(codes(&qrels.problems), []);
    }
    assert_eq!(codes(&read("7 a 1\n7 0 b 1\n7 b\n", PLAIN).problems), [("E-FIELDS", 2), ("E-FIELDS", 3)]);
    assert_eq!(codes(&read("7 a score\n", PLAIN).problems), [("E-EMPTY", 0)]);
}

#[test]
fn a_run_in_place_of_qrels_is_recognised() {
    assert_eq!(code(attempt("7 Q0 a 1 3.5 t\n", PLAIN)), ("E-SWAPPED", 0));
    assert_eq!(codes(&read("7 Q0 a 1 x t\n7 0 a 1\n", PLAIN).problems), [("E-FIELDS", 1)]);
}

#[test]
fn grades_that_are_a_ranking_are_noted() {
    let rows = |topic: u32, grades: &[u32]| -> String {
        grades.iter().enumerate().map(|(i, grade)| format!("{topic} 0 d{i} {grade}\n")).collect()
    };
    let (ranks, twice): (Vec<u32>, Vec<u32>) = ((1..11).collect(), (0..10).map(|i| i.max(1)).collect());
    let found = |text: String, reading| codes(&read(text, reading).problems);
    assert_eq!(found(rows(1, &ranks), PLAIN), [("W-SWAPPED", 0)]);
    assert_eq!(found(rows(1, &ranks), GAINS), []);
    assert_eq!(found(rows(1, &ranks[1..]), PLAIN), []);
    assert_eq!(found(rows(1, &twice) + "2 0 a 20\n", PLAIN), []);
    // Nine of ten topics are nearly all, eight of nine are not.
    let most = |topics: u32| (2..topics + 1).map(|topic| rows(topic, &ranks)).collect::<String>() + &rows(1, &twice);
    assert_eq!(found(most(10), PLAIN), [("W-SWAPPED", 0)]);
    assert_eq!(found(most(9), PLAIN), []);
}

#[test]
fn empty_and_useless_files_say_so() {
    for text in ["", "\n\n", "# nothing\n", "\u{feff}"] {
        assert_eq!(codes(&read(text, PLAIN).problems)[0].0, "E-EMPTY", "{text:?}");
    }
    assert_eq!(codes(&read("7 0 a 0\n7 0 b -1\n", PLAIN).problems), [("W-NOREL", 0), ("W-NEGATIVE", 2)]);
}

#[test]
fn limits_hold_for_plain_files() {
    let limits = Limits { bytes: 10, ..Limits::default() };
    let end = read_qrels(file("7 0 abcdef 1\n").path(), PLAIN, limits, &Arc::default());
    assert_eq!(code(end), ("E-SIZE", 0));
}

#[test]
fn reading_ends_at_the_first_line_topic_or_judgment_too_many() {
    let text = "1 0 a 1\n2 0 a 1\n1 0 b 0\n1 0 c 0\n3 0 a 1\n";
    let (usual, any) = (Limits::default(), usize::MAX);
    for (lines, topics, documents, expected) in [
        (5, 3, 3, ("read", 0)),
        (4, any, any, ("E-LARGE", 5)),
        (5, 2, any, ("E-LARGE", 5)),
        (5, any, 2, ("E-LARGE", 4)),
    ] {
        let limits = Limits { lines, topics, documents, ..usual };
        assert_eq!(code(read_qrels(file(text).path(), PLAIN, limits, &Arc::default())), expected);
    }
}

#[test]
fn many_judgments_agree_with_a_simple_reader() {
    for seed in 0..30 {
        let mut draws = Draws(seed);
        let (mut text, mut rows, mut first) = (String::new(), Vec::new(), HashMap::new());
        let (mut same, mut other) = (0, 0);
        for _ in 0..2000 {
            let (topic, subtopic, document, grade) =
                (draws.below(30), draws.below(3), draws.below(300), draws.below(3) as f64);
            text.push_str(&format!("t{topic} {subtopic} d{document} {grade}\n"));
            let key = (topic, document, if seed % 2 == 0 { subtopic } else { 0 });
            match first.get(&key) {
                None => {
                    first.insert(key, grade);
                    rows.push((format!("t{topic}"), subtopic.to_string(), format!("d{document}"), grade));
                }
                Some(before) if *before == grade => same += 1,
                Some(_) => other += 1,
            }
        }
        let qrels = read(&text, Reading { gains: false, subtopics: seed % 2 == 0 });
        let word = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let found: Vec<_> = (0..qrels.grade.len())
            .map(|i| {
                let topic = word(qrels.topics.get(qrels.topic[i] as usize));
                let subtopic = word(qrels.iterations.get(qrels.iteration[i] as usize));
                (topic, subtopic, word(qrels.document.get(i)), qrels.grade[i])
            })
            .collect();
        assert_eq!(found, rows);
        let count = |code| qrels.problems.counts().get(code).copied().unwrap_or(0);
        assert_eq!((count("E-DUPQREL"), count("E-CONFLICT")), (same, other));
    }
}

#[test]
fn json_in_place_of_qrels_is_recognised() {
    assert_eq!(code(attempt("{\"301\": {\"d1\": 1}}\n", PLAIN)), ("E-FORMAT", 0));
    assert_eq!(read("[7] 0 d1 1\n", PLAIN).grade, [1.0]);
}
