//! Whole runs: the same answer however the file is cut, and every problem with its line.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may")]

mod support;

use std::sync::Arc;

use cranfield_native::feed::BLOCK;
use cranfield_native::rank::{Ties, Wanted};
use cranfield_native::run::{Parts, read_header, read_run};
use cranfield_native::source::{Control, Limits, Stop};
use cranfield_native::walk::Format;

use support::{Draws, assert_same, code, codes, every_third, file, run, run_at, said, strings, tiny, yielded};

const TOPICS: [&str; 6] = ["301", "302", "d7", "é", "#no", "306"];

/// Lines as people write them, and as they should not; `wild` of them in a hundred are strange.
fn lines(draws: &mut Draws, count: usize, wild: u64) -> Vec<String> {
    let mut topic = 0;
    let line = |i: usize| {
        if draws.one_in(8) {
            topic = (topic + 1) % TOPICS.len();
        }
        let name = if draws.below(100) < wild { draws.choose(&TOPICS) } else { TOPICS[topic] };
        let space = if draws.below(100) < wild { draws.choose(&["\t", "  ", " \t "]) } else { " " };
        let strange = ["", "# note", "a b", "7 Q0 d 1 nan t", "7 Q0 d 1 one t", "a b c d e f g", " \t", "7 d 1"];
        if draws.below(100) < wild {
            return draws.choose(&strange).to_owned();
        }
        let score = match draws.below(4) {
            0 => format!("{}", draws.below(5)),
            1 => format!("-{}.{}", draws.below(9), draws.below(1000)),
            2 => format!("{}e-3", draws.below(10_000)),
            _ => format!("{}.{:07}", 90 - i % 90, draws.below(9_999_999)),
        };
        let rank = if draws.below(100) < wild { draws.choose(&["x", "-1", "1.5"]).to_owned() } else { i.to_string() };
        let tag = if draws.below(100) < wild { "other" } else { "tag" };
        [name, "Q0", &format!("d{}", draws.below(900)), &rank, &score, tag].join(space)
    };
    (0..count).map(line).collect()
}

fn all_wanted() -> impl Iterator<Item = Wanted> {
    let names = every_third(&TOPICS[..3], 900);
    [Ties::Trec, Ties::DocnoAsc, Ties::Input, Ties::Rank].into_iter().flat_map(move |ties| {
        let names = names.clone();
        [None, Some(5)].into_iter().map(move |depth| Wanted {
            ties,
            trec_eval_9: depth.is_some(),
            names: Some(names.clone()),
            depth,
            ..Wanted::default()
        })
    })
}

/// Lines that end as on Windows are never taken at once, and neither is a text with letters beyond ASCII.
#[test]
fn lines_taken_at_once_are_as_if_read_one_by_one() {
    let all = |read: Result<_, Stop>| {
        let mut read = yielded(read).unwrap();
        (read.about.2, read.about.3) = (String::new(), String::new());
        // Only so many are kept: one warning more may push another out, but all are counted.
        read.problems.retain(|said| said.starts_with("E-"));
        read.counts.retain(|(code, _)| *code != "W-CRLF");
        Ok(read)
    };
    for seed in 0..80 {
        let mut draws = Draws(seed);
        let (count, wild) = ([10, 100, 700][seed as usize % 3], [0, 2, 20][seed as usize / 3 % 3]);
        let mut text = lines(&mut draws, count, wild);
        // The first line says that there are six columns.
        text.insert(0, "301 Q0 d0 1 1 tag".into());
        if seed % 2 == 0 {
            text.sort_by_key(|line| line.split_ascii_whitespace().next().unwrap_or("").to_owned());
        }
        let text: Vec<String> = text.iter().map(|line| line.replace('é', "e")).collect();
        let at_once = file(text.join("\n") + "\n");
        let one_by_one = file(text.join("\r\n") + "\r\n");
        for (i, wanted) in all_wanted().enumerate() {
            let read = |path| all(run_at(path, &wanted, tiny(1 + i % 3)));
            assert_same(&read(at_once.path()), &read(one_by_one.path()), &format!("seed {seed}, wanted {i}"));
        }
    }
}

#[test]
fn one_thread_or_many_give_the_same() {
    for seed in 0..60 {
        let mut draws = Draws(seed);
        let count = [1, 3, 10, 60, 400][seed as usize % 5];
        let wild = [0, 3, 30][seed as usize % 3];
        let end = draws.choose(&["\n", "\r\n"]);
        let mut text = lines(&mut draws, count, wild).join(end);
        if !draws.one_in(3) {
            text.push_str(end);
        }
        if draws.one_in(4) {
            text.insert_str(0, draws.choose(&["\u{feff}", "# made by\n# us\n", "\u{feff}# x\n", "\n\n"]));
        }
        let file = file(&text);
        for wanted in all_wanted() {
            let one = yielded(run_at(file.path(), &wanted, tiny(1)));
            for most in [2, 5, 20] {
                let many = yielded(run_at(file.path(), &wanted, tiny(most)));
                assert_same(&one, &many, &format!("seed {seed}, {most} parts"));
            }
        }
    }
}

#[test]
fn scattered_topics_come_out_as_if_they_stood_together() {
    for seed in 0..40 {
        let mut draws = Draws(seed);
        let mut scattered = lines(&mut draws, 200, 10);
        // The first line says that there are six columns.
        scattered.insert(0, "301 Q0 d0 1 1 tag".into());
        let topic_of = |line: &String| line.split_ascii_whitespace().next().unwrap_or("").to_owned();
        let mut order: Vec<String> = Vec::new();
        scattered.iter().map(topic_of).for_each(|t| {
            if !order.contains(&t) {
                order.push(t)
            }
        });
        let mut grouped = scattered.clone();
        grouped.sort_by_key(|line| order.iter().position(|t| *t == topic_of(line)));
        for wanted in all_wanted() {
            let (a, b) = (run(scattered.join("\n"), &wanted), run(grouped.join("\n"), &wanted));
            assert!(a.problems.counts().contains_key("W-SCATTERED"));
            assert!(!b.problems.counts().contains_key("W-SCATTERED"));
            assert_eq!(a.problems.counts().get("E-DUPDOC"), b.problems.counts().get("E-DUPDOC"));
            let (a, b) = (yielded(Ok(a)).unwrap(), yielded(Ok(b)).unwrap());
            assert!((a.topics, a.rows, a.found) == (b.topics, b.rows, b.found), "seed {seed}");
            assert!((a.documents, a.keys) == (b.documents, b.keys), "seed {seed}");
        }
    }
}

#[test]
fn one_bad_line_does_not_make_a_file_scattered() {
    for bad in ["garbage", "302 Q0 d9", "302 Q0 d 1 2 t t", "# 302", "302 d 1"] {
        let mut all: Vec<String> = (0..40).map(|i| format!("301 Q0 d{i} {i} {} t", 90 - i)).collect();
        all.insert(20, bad.into());
        let file = file(all.join("\n"));
        for most in [1, 2, 5, 41] {
            let read = run_at(file.path(), &Wanted::default(), tiny(most)).unwrap();
            assert_eq!(read.ranked.topics, strings(["301"]), "{bad}");
            assert!(!read.problems.counts().contains_key("W-SCATTERED"), "{bad}, {most} parts");
        }
    }
}

/// About `size` bytes of topics of 100 documents each.
fn large(size: usize) -> Vec<u8> {
    let mut text = Vec::new();
    for i in 0.. {
        text.extend_from_slice(format!("{} Q0 doc-{} {} {} t\n", i / 100, i * 7, i % 100, 1000 - i % 100).as_bytes());
        if text.len() > size {
            return text;
        }
    }
    text
}

#[test]
fn lines_topics_and_parts_may_cross_blocks() {
    let mut text = large(9 * BLOCK);
    // A topic longer than a block, then one line too short.
    for i in 0..80_000 {
        text.extend_from_slice(format!("giant Q0 d{i} {i} {} tag\n", 100_000 - i).as_bytes());
    }
    text.extend_from_slice(b"giant Q0 d1 1\nlast Q0 d1 1 1 t\nlast Q0 d1 2 0 t\n");
    let lines = text.iter().filter(|b| **b == b'\n').count() as u64;
    let file = file(&text);
    let read = yielded(run_at(file.path(), &Wanted::default(), Parts::new(1)));
    let one = read.as_ref().unwrap();
    assert_eq!(one.about.0, lines);
    assert_eq!(one.about.3, blake3::hash(&text).to_hex().to_string());
    assert_eq!(one.rows[one.rows.len() - 2].retrieved, 80_000);
    assert!(one.problems[0].starts_with(&format!("E-FIELDS:{} ", lines - 2)), "{}", one.problems[0]);
    assert!(one.problems[1].starts_with(&format!("E-DUPDOC:{lines} ")), "{}", one.problems[1]);
    assert!(one.problems[1].ends_with(&format!("(first on line {})", lines - 1)));
    for parts in [Parts::new(2), Parts::new(5), tiny(7)] {
        assert_same(&read, &yielded(run_at(file.path(), &Wanted::default(), parts)), &format!("{parts:?}"));
    }
}

#[test]
fn one_giant_topic_is_one_part() {
    let text: String = (0..300).map(|i| format!("7 Q0 d{i} {i} {} t\n", 999 - i)).collect();
    let file = file(text);
    let one = yielded(run_at(file.path(), &Wanted::default(), tiny(1)));
    assert_same(&one, &yielded(run_at(file.path(), &Wanted::default(), tiny(9))), "nine parts");
    assert_eq!(one.unwrap().rows[0].retrieved, 300);
}

#[test]
fn a_line_too_long_is_named_from_every_part() {
    let mut text = String::from_utf8(large(20_000)).unwrap();
    let number = text.lines().count() as u64 + 1;
    text.push_str(&"x".repeat(70_000));
    text.push('\n');
    text.push_str(&String::from_utf8(large(20_000)).unwrap().replace(" Q0", "b Q0"));
    let file = file(text);
    for most in [1, 2, 3, 5, 20] {
        assert_eq!(code(run_at(file.path(), &Wanted::default(), tiny(most))), ("E-LINE", number), "{most}");
    }
}

#[test]
fn a_hundred_problems_are_kept_and_all_are_counted() {
    let text: String = (0..500).map(|i| format!("{} Q0 d{i} {i} bad t\n", i / 10)).collect();
    let file = file(text);
    for most in [1, 2, 5] {
        let read = run_at(file.path(), &Wanted::default(), tiny(most)).unwrap();
        assert_eq!(read.problems.counts()["E-SCORE"], 500);
        let expected: Vec<_> = (1..=100).map(|line| ("E-SCORE", line)).collect();
        assert_eq!(codes(&read.problems), expected);
    }
}

#[test]
fn odd_but_harmless_texts_are_read_with_a_word() {
    let text = "\u{feff}# tag: mine\r\n\r\n7\tQ0\ta\t1\t2.5\tt\r\n# late\r\n8  Q0 b 1 2 t\r\n8 Q0 c 2 1 t";
    let read = run(text, &Wanted { depth: Some(9), ..Wanted::default() });
    assert_eq!(read.header, "# tag: mine\n");
    assert_eq!(read.ranked.documents, strings(["a", "b", "c"]));
    let expected = [
        ("W-SHORT", 0),
        ("W-BOM", 1),
        ("W-CRLF", 1),
        ("W-BLANK", 2),
        ("W-COMMENT", 4),
        ("W-SEPARATOR", 5),
        ("W-END", 6),
    ];
    assert_eq!(codes(&read.problems), expected);
}

#[test]
fn what_deserves_a_warning_gets_one() {
    let text =
        "7 Q1 a 1 3 t\n7 Q1 b 3 3 t\n7 Q1 7 2 1 u\n8 Q0 x 1 0.30000000000000004 t\n8 Q0 y 2 0.3 t\n8 Q0 z 3 0 t\n";
    let read = run(text, &Wanted::default());
    let expected = [("W-Q0", 1), ("W-TIES", 1), ("W-SELF", 1), ("W-TAG", 3), ("W-RANK", 3), ("W-FLOAT32", 4)];
    let mut found = codes(&read.problems);
    found.sort_by_key(|(_, line)| *line);
    assert_eq!(found, expected);
    assert_eq!(read.tag, "t");
    assert_eq!(
        codes(&run("7 Q0 a 1 1 t\n7 Q0 b 2 1 t\n", &Wanted::default()).problems),
        [("W-TIES", 1), ("W-CONSTANT", 1)]
    );
}

#[test]
fn empty_files_say_so() {
    for text in ["", "\n", "\n\r\n  \n", "# only\n# a header\n", "\u{feff}"] {
        let read = run(text, &Wanted::default());
        assert_eq!(codes(&read.problems)[0], ("E-EMPTY", 0), "{text:?}");
        assert_eq!(read.digest, blake3::hash(text.as_bytes()).to_hex().to_string());
    }
}

#[test]
fn three_columns_are_read_by_rank() {
    let text = "7\ta\t2\n7\tb\t1\n7\tc\t3\n9\td\t1\n";
    let read = run(text, &Wanted { depth: Some(2), ..Wanted::default() });
    assert_eq!(read.format, Format::Msmarco);
    assert_eq!(read.ranked.documents, strings(["b", "a", "d"]));
    assert_eq!(read.ranked.keys, [-1.0, -2.0, -1.0]);
    let read = run("7 a 1\n7 b x\n7 c\n8 x 1\n", &Wanted::default());
    assert_eq!(codes(&read.problems), [("E-RANK", 2), ("E-FIELDS", 3)]);
}

/// Three columns of two topics, the numbers of both in this order.
fn three_columns(numbers: &[i64]) -> String {
    let rows = |topic: u32| numbers.iter().enumerate().map(move |(i, number)| format!("{topic}\td{i}\t{number}\n"));
    rows(1).chain(rows(2)).collect()
}

#[test]
fn three_columns_with_grades_are_no_run() {
    let found = |numbers: &[i64]| codes(&run(three_columns(numbers), &Wanted::default()).problems);
    assert_eq!(found(&[0, 1, 0, 2, 1]), [("E-SWAPPED", 0)]); // four of five numbers are not unique
    assert_eq!(found(&[0, 0, 0, 0, 0]), [("E-SWAPPED", 0)]);
    assert_eq!(found(&[1, 2, 2, 4, 5]), [("W-TIES", 1)]);
    assert_eq!(found(&[1, 2, 2, 3, 3, 6, 7, 8]), [("W-TIES", 1)]); // half of the ranks
    assert_eq!(found(&[1, 1, 2, 2]), [("W-TIES", 1)]); // too few to know
    // A topic of one document says nothing about the others.
    let single: String = (10..40).map(|topic| format!("{topic}\ta\t1\n")).collect();
    assert_eq!(
        codes(&run(single.clone() + &three_columns(&[1, 0, 1, 0, 1]), &Wanted::default()).problems)[0].0,
        "E-SWAPPED"
    );
    assert!(!codes(&run(single, &Wanted::default()).problems).iter().any(|(code, _)| *code == "E-SWAPPED"));
}

#[test]
fn three_columns_with_scores_are_noted_where_most_topics_have_them() {
    let scores = three_columns(&[2500, 9100, 7300]);
    assert_eq!(codes(&run(&scores, &Wanted::default()).problems), [("W-INVERTED", 1)]);
    let good =
        |topics: u32| (0..topics).map(|i| format!("{}\ta\t1\n{0}\tb\t2\n{0}\tc\t3\n", i + 10)).collect::<String>();
    assert_eq!(codes(&run(good(1) + &scores, &Wanted::default()).problems), [("W-INVERTED", 4)]); // two of three
    assert_eq!(codes(&run(good(2) + &scores, &Wanted::default()).problems), []); // two of four
    assert_eq!(codes(&run(three_columns(&[-7, -3, -5]), &Wanted::default()).problems), [("W-INVERTED", 1)]);
}

#[test]
fn ties_and_float32_follow_what_is_asked() {
    let text = "7 Q0 b 2 1.00000001 t\n7 Q0 a 1 1 t\n7 Q0 c 3 5 t\n";
    let order = |ties, trec_eval_9| {
        let read = run(text, &Wanted { ties, trec_eval_9, depth: Some(9), ..Wanted::default() });
        read.ranked.documents.iter().map(|d| d[0] as char).collect::<String>()
    };
    assert_eq!(order(Ties::Trec, false), "cba");
    assert_eq!(order(Ties::DocnoAsc, false), "cba");
    assert_eq!(order(Ties::DocnoAsc, true), "cab");
    assert_eq!(order(Ties::Input, true), "cba");
    assert_eq!(order(Ties::Rank, false), "abc");
    let read = run("7 Q0 a one 1 t\n7 Q0 b 0 2 t\n", &Wanted { ties: Ties::Rank, ..Wanted::default() });
    assert_eq!(codes(&read.problems), [("E-RANK", 1)]);
}

#[test]
fn lines_like_the_one_before_are_read_with_the_same_care() {
    // Each second line starts and ends like the first; only the first is whole.
    for second in ["7 Q0 b 2 3 ", "7 Q0  2 3 t", "7 Q0 b 2 3 t t", "7 Q0 2 3 t", "7 Q0 b 2 3t", "7 Q0 b 2 3. 1 t"] {
        let read = run(format!("7 Q0 a 1 4 t\n{second}\n"), &Wanted::default());
        assert_eq!(codes(&read.problems), [("E-FIELDS", 2)], "{second}");
    }
    // A first line with a bad score has a start, but no tag yet.
    let read = run("7 Q0 a 1 x t\n7 Q0 b 2 3 \n", &Wanted::default());
    assert_eq!(codes(&read.problems), [("E-SCORE", 1), ("E-FIELDS", 2)]);
    let read = run("7 Q0 a 1 4 t\n7 Q0 b +2 3e0 t\n7 Q0 c 0000000003 2.0000000000000000000 t \n", &Wanted::default());
    assert_eq!(said(&read.problems), [""; 0]);
    assert_eq!(read.ranked.rows[0].retrieved, 3);
}

#[test]
fn other_files_are_recognised() {
    let read = |text: &str| code(run_at(file(text).path(), &Wanted::default(), tiny(1)));
    assert_eq!(read("301 0 FT911-3 1\n"), ("E-SWAPPED", 0));
    assert_eq!(read("{\"301\": {\"a\": 1}}\n"), ("E-FORMAT", 0));
    assert_eq!(read("[\n"), ("E-FORMAT", 0));
    assert_eq!(read("[7] Q0 a 1 1 t\n"), ("read", 0));
    // The first line of data is found behind a header of any length, and read whole.
    for length in [(1 << 16) - 30, (1 << 16) - 20, BLOCK - 10, BLOCK + 10] {
        let text = format!("{}\n7 Q0 document 1 3.5 tag\n", "# long header\n".repeat(length / 14));
        assert_eq!(run(text, &Wanted::default()).format, Format::Trec);
    }
}

#[test]
fn packed_files_are_read_like_plain_ones() {
    let text = lines(&mut Draws(3), 5000, 5).join("\n");
    let plain = yielded(Ok(run(&text, &Wanted::default())));
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
    let packed = encoder.finish().unwrap();
    let mut read = run(&packed, &Wanted::default());
    assert_eq!(read.digest, blake3::hash(&packed).to_hex().to_string());
    read.digest = blake3::hash(text.as_bytes()).to_hex().to_string();
    assert_same(&yielded(Ok(read)), &plain, "packed");
}

#[test]
fn reading_stops_when_asked() {
    let control = Arc::new(Control { stop: true.into(), ..Control::default() });
    let file = file(large(10_000));
    let end = read_run(file.path(), &Wanted::default(), tiny(2), Limits::default(), &control);
    assert!(matches!(end, Err(Stop::Interrupted)));
}

#[test]
fn trec_eval_9_looks_away_from_what_stands_after_the_sixth_column() {
    let text = b"1 Q0 a 1 2.5 my own run\n1 Q0 b 2 1.5 my own run\n";
    let strict = run(text, &Wanted { depth: Some(9), ..Wanted::default() });
    assert_eq!(strict.problems.counts()["E-FIELDS"], 2);
    let read = run(text, &Wanted { trec_eval_9: true, depth: Some(9), ..Wanted::default() });
    assert!(!read.problems.has_errors());
    assert_eq!(read.problems.kept()[0].code, "W-COLUMNS");
    assert_eq!(read.problems.kept()[0].message, "lines with more than 6 columns, the rest left out: 2");
    assert_eq!((read.tag.as_str(), read.ranked.keys.as_slice()), ("my", [2.5, 1.5].as_slice()));
    let later = run(text, &Wanted { extra_columns: true, depth: Some(9), ..Wanted::default() });
    assert!(!later.problems.has_errors());
    assert_eq!(later.ranked.keys.as_slice(), [2.5, 1.5].as_slice());
}

#[test]
fn reading_ends_at_the_first_topic_or_document_too_many() {
    // The fifth line is the third document of topic 2, the sixth is the first of topic 3.
    let together = "1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n2 Q0 a 1 3 t\n2 Q0 b 2 2 t\n2 Q0 c 3 1 t\n3 Q0 a 1 3 t\n";
    let scattered = "1 Q0 a 1 3 t\n2 Q0 a 1 3 t\n1 Q0 b 2 2 t\n2 Q0 b 2 2 t\n2 Q0 c 3 1 t\n3 Q0 a 1 3 t\n";
    let three = "1 a 1\n1 b 2\n2 a 1\n2 b 2\n2 c 3\n3 a 1\n";
    let any = usize::MAX;
    let ends = [(3, 3, ("read", 0)), (2, any, ("E-LARGE", 6)), (any, 2, ("E-LARGE", 5)), (2, 2, ("E-LARGE", 5))];
    for text in [together, scattered, three] {
        for (topics, documents, expected) in ends {
            let limits = Limits { topics, documents, ..Limits::default() };
            for most in [1, 3] {
                let end = read_run(file(text).path(), &Wanted::default(), tiny(most), limits, &Arc::default());
                assert_eq!(code(end), expected, "{topics} topics of {documents} documents, {most} parts: {text}");
            }
        }
    }
}

#[test]
fn a_topic_that_comes_back_is_none_too_many() {
    let limits = Limits { topics: 2, ..Limits::default() };
    let text = "1 Q0 a 1 3 t\n2 Q0 a 1 3 t\n1 Q0 b 2 2 t\n";
    let read = read_run(file(text).path(), &Wanted::default(), tiny(1), limits, &Arc::default());
    assert_eq!(codes(&read.unwrap().problems), [("W-SCATTERED", 0), ("W-SHORT", 0)]);
}

#[test]
fn lines_are_counted_over_the_whole_file() {
    let file = file(large(20_000));
    let lines = yielded(run_at(file.path(), &Wanted::default(), tiny(1))).unwrap().about.0;
    for (most, expected) in [(lines, ("read", 0)), (lines - 1, ("E-LARGE", lines))] {
        let limits = Limits { lines: most, ..Limits::default() };
        let end = read_run(file.path(), &Wanted::default(), tiny(5), limits, &Arc::default());
        assert_eq!(code(end), expected);
    }
}

#[test]
fn a_header_is_read_without_what_follows_it() {
    let head = |bytes: &[u8]| read_header(file(bytes).path(), Limits::default(), &Arc::default());
    let text = b"# tag: mine\n\n# more\n7 Q0 a 1 not-a-number t\n# late\n".as_slice();
    assert_eq!(head(text).unwrap(), "# tag: mine\n# more\n");
    assert_eq!(head(&zstd::encode_all(text, 1).unwrap()).unwrap(), "# tag: mine\n# more\n");
    assert_eq!(head(b"").unwrap(), "");
    assert_eq!(code(head(b"PK\x03\x04")), ("E-ARCHIVE", 0));
}
