//! Reading judgments.

use std::path::Path;
use std::sync::Arc;

use crate::checks::Ids;
use crate::feed::digest;
use crate::number::{self, NotANumber};
use crate::numbered::{MOST, Numbered};
use crate::problem::{Problems, Tally, shown};
use crate::source::{Control, Limits, Packing, Source, Stop};
use crate::strings::Strings;
use crate::text::{Line, Seen, columns, lines, no_json, said};

pub const QRELS_LINE: &str = "a qrels line reads: topic 0 document grade";
/// How a heading may call the column of the document, which is not the first.
const DOCUMENT_NAMES: [&[u8]; 9] =
    [b"document", b"docno", b"doc_id", b"doc-id", b"docid", b"doc", b"pid", b"corpus-id", b"corpus_id"];
/// Beyond this a grade is taken for a column in the wrong place.
const LARGEST: f64 = 10_000.0;
/// In a topic of fewer judgments, all grades may differ by chance.
const LEAST_JUDGED: usize = 10;
/// The proportion of such topics in which all grades differ, where the grades are a ranking.
const NEARLY_ALL: f64 = 0.9;

/// Judgments, one row each, in the order of the file.
#[derive(Default)]
pub struct QrelsRead {
    pub topics: Strings,
    pub topic: Vec<u32>,
    /// The second column, by number of its distinct values.
    pub iterations: Strings,
    pub iteration: Vec<u32>,
    pub document: Strings,
    pub grade: Vec<f64>,
    pub problems: Problems,
    pub lines: u64,
    pub header: String,
    pub digest: String,
}

/// How to read the last two columns.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    /// Decimals are welcome: the last column is a gain.
    pub gains: bool,
    /// The second column names a subtopic: a document may be judged once for each.
    pub subtopics: bool,
}

pub fn read_qrels(path: &Path, reading: Reading, limits: Limits, control: &Arc<Control>) -> Result<QrelsRead, Stop> {
    let source = Source::open(path, limits, control)?;
    let (mut seen, mut problems) = (Seen::default(), Problems::default());
    let mut walk = Walk { reading, limits, ..Walk::default() };
    let each = |line: Line<'_>, problems: &mut Problems| walk.line(line, problems).map(|()| true);
    let digest = if source.packing == Packing::Plain {
        let mut feed = source.part(0, source.size, control);
        lines(&mut feed, 0, limits, &mut seen, &mut problems, each)?;
        digest(&feed.digests, source.size)?
    } else {
        let mut feed = source.stream(limits, control)?;
        lines(&mut feed, 0, limits, &mut seen, &mut problems, each)?;
        feed.digest
    };
    seen.report(&mut problems);
    walk.report(&mut problems);
    let (lines, header) = (seen.lines, String::from_utf8_lossy(&seen.header).into_owned());
    Ok(QrelsRead { problems, lines, header, digest, ..walk.out })
}

/// One judgment of a table, and the line or row where it stands.
pub struct Judgment<'a> {
    pub topic: &'a [u8],
    pub iteration: &'a [u8],
    pub document: &'a [u8],
    pub grade: f64,
    pub line: u64,
}

/// Check the judgments of a table as those of a text file are checked.
pub fn check_rows<'a>(rows: impl Iterator<Item = Judgment<'a>>, reading: Reading) -> Result<QrelsRead, Stop> {
    let mut problems = Problems::default();
    let mut walk = Walk { reading, ..Walk::default() };
    let mut ids = Ids::default();
    for row in rows {
        let named = ids.see(row.topic, "topic", row.line, &mut problems)
            & ids.see(row.document, "document", row.line, &mut problems);
        let Some(grade) = walk.check_grade(row.grade, row.line, &mut problems) else {
            continue;
        };
        if named {
            walk.judge(row.topic, row.iteration, row.document, grade, row.line, &mut problems)?;
        }
    }
    ids.report(&mut problems);
    walk.report(&mut problems);
    Ok(QrelsRead { problems, ..walk.out })
}

/// Strings by number, in order of appearance.
#[derive(Default)]
struct Index {
    known: Numbered,
    last: u32,
}

impl Index {
    fn number(&mut self, name: &[u8], all: &mut Strings) -> u32 {
        // Judgments of a topic mostly stand together.
        if !all.is_empty() && all.get(self.last as usize) == name {
            return self.last;
        }
        let next = all.len() as u32;
        let hash = self.known.hash(name);
        self.last = self.known.enter(hash, next, |i| all.get(i as usize) == name).unwrap_or_else(|| {
            all.push(name);
            next
        });
        self.last
    }
}

#[derive(Default)]
struct Walk {
    reading: Reading,
    limits: Limits,
    /// Columns, as the first line has them.
    width: Option<usize>,
    topics: Index,
    /// How many judgments each topic has.
    counts: Vec<usize>,
    iterations: Index,
    /// The rows by topic, document and perhaps subtopic; the line of each, to name the first of two.
    judged: Numbered,
    at: Vec<u64>,
    negative: Tally,
    out: QrelsRead,
}

impl Walk {
    fn line(&mut self, line: Line<'_>, problems: &mut Problems) -> Result<(), Stop> {
        let mut field = [b"".as_slice(); 6];
        let count = columns(line.bytes, &mut field);
        let width = match self.width {
            Some(width) => width,
            None => {
                no_json(line.bytes)?;
                let width = *self.width.insert(if count == 3 { 3 } else { 4 });
                if self.is_heading(count, &field)? {
                    return Ok(());
                }
                width
            }
        };
        let [topic, iteration, document, grade] = match width {
            3 => [field[0], b"0", field[1], field[2]],
            _ => [field[0], field[1], field[2], field[3]],
        };
        if count != width {
            let message = || format!("{} where qrels have {width}: \"{}\"", said(count), shown(line.bytes));
            problems.add("E-FIELDS", line.number, message, QRELS_LINE);
        } else if let Some(grade) = self.grade(grade, line.number, problems) {
            self.judge(topic, iteration, document, grade, line.number, problems)?;
        }
        Ok(())
    }

    /// Whether the first line holds the names of the columns, as in the qrels of BEIR. A run is refused.
    fn is_heading(&self, count: usize, field: &[&[u8]; 6]) -> Result<bool, Stop> {
        if count == 6 && number::score(field[4]).is_ok() {
            let message = "this looks like a run where qrels are expected";
            return Err(Stop::problem("E-SWAPPED", message, "the qrels come first, then the runs"));
        }
        let is_heading = count == 3 && matches!(field[2], b"score" | b"grade" | b"relevance");
        if is_heading && DOCUMENT_NAMES.contains(&field[0]) {
            let message = "the columns under this heading are in another order";
            return Err(Stop::problem("E-COLUMNS", message, QRELS_LINE));
        }
        Ok(is_heading)
    }

    fn judge(
        &mut self,
        topic: &[u8],
        iteration: &[u8],
        document: &[u8],
        grade: f64,
        line: u64,
        problems: &mut Problems,
    ) -> Result<(), Stop> {
        let row = self.out.grade.len();
        if row >= MOST {
            return Err(Stop::problem("E-LARGE", format!("there are more than {MOST} judgments"), "split the file"));
        }
        let topic_number = self.topics.number(topic, &mut self.out.topics);
        self.count(topic_number as usize, topic, line)?;
        let iteration = self.iterations.number(iteration, &mut self.out.iterations);
        let (out, subtopics) = (&self.out, self.reading.subtopics);
        let same = |i: u32| {
            let i = i as usize;
            out.topic[i] == topic_number
                && (!subtopics || out.iteration[i] == iteration)
                && out.document.get(i) == document
        };
        // Without the subtopic, a document that has many would make a long chain of equal hashes.
        let kind = if subtopics { topic_number ^ iteration.rotate_left(16) } else { topic_number };
        let hash = self.judged.hash_of(kind, document);
        if let Some(earlier) = self.judged.enter(hash, row as u32, same) {
            self.again(earlier as usize, topic, document, grade, line, problems);
            return Ok(());
        }
        self.at.push(line);
        self.out.topic.push(topic_number);
        self.out.iteration.push(iteration);
        self.out.document.push(document);
        self.out.grade.push(grade);
        Ok(())
    }

    #[inline]
    fn count(&mut self, number: usize, topic: &[u8], line: u64) -> Result<(), Stop> {
        let Limits { topics, documents, .. } = self.limits;
        if number >= self.counts.len() {
            if number >= topics {
                return Err(Stop::too_many(line, format!("there are more than {topics} topics")));
            }
            self.counts.push(0);
        }
        self.counts[number] += 1;
        if self.counts[number] > documents {
            let message = format!("topic {} has more than {documents} judgments", shown(topic));
            return Err(Stop::too_many(line, message));
        }
        Ok(())
    }

    /// A document is judged twice.
    fn again(&self, row: usize, topic: &[u8], document: &[u8], grade: f64, line: u64, problems: &mut Problems) {
        let (first, before) = (self.at[row], self.out.grade[row]);
        let names = || (shown(document), shown(topic));
        if before == grade {
            let message = || {
                let (document, topic) = names();
                format!("document {document} is judged twice in topic {topic}")
            };
            problems.repeats("E-DUPQREL", [first, line], message, "keep one line for each document of a topic");
        } else {
            let message = || {
                let (document, topic) = names();
                format!("document {document} has grade {grade} in topic {topic}, but {before} on line {first}")
            };
            let hint = "decide on one grade of the document";
            problems.add("E-CONFLICT", line, message, hint);
        }
    }

    fn grade(&mut self, text: &[u8], line: u64, problems: &mut Problems) -> Option<f64> {
        match (number::whole(text), number::score(text)) {
            (_, Ok(gain)) if self.reading.gains => self.check_grade(gain, line, problems),
            (Some(whole), _) => self.check_grade(whole as f64, line, problems),
            (None, Ok(number)) if number == number.trunc() => self.check_grade(number, line, problems), // 1.0
            (None, Ok(_)) => {
                decimal(&shown(text), line, problems);
                None
            }
            (None, Err(wrong)) => {
                let what = if wrong == NotANumber::NotFinite { "a finite number" } else { "a number" };
                let message = || format!("grade \"{}\" is not {what}", shown(text));
                problems.add("E-GRADE", line, message, QRELS_LINE);
                None
            }
        }
    }

    /// A finite grade, if it may be one.
    fn check_grade(&mut self, grade: f64, line: u64, problems: &mut Problems) -> Option<f64> {
        if !self.reading.gains {
            if grade != grade.trunc() {
                decimal(&grade.to_string(), line, problems);
                return None;
            }
            if grade.abs() > LARGEST {
                let hint = "grades lie between -10000 and 10000: is this the right column?";
                problems.add("E-RANGE", line, || format!("grade {grade} is out of range"), hint);
                return None;
            }
        }
        if grade < 0.0 {
            self.negative.see(line, String::new);
        }
        Some(grade)
    }

    /// Say once what was seen often.
    fn report(&self, problems: &mut Problems) {
        if self.negative.count > 0 {
            let has_zero = self.out.grade.contains(&0.0);
            let (code, none) = if has_zero { ("W-NEGATIVE", "") } else { ("W-NOZERO", ", and no grade is 0") };
            let message = || format!("grades below 0, which count as unjudged{none}: {}", self.negative.count);
            let hint = "write 0 where the document was judged not relevant";
            problems.add(code, self.negative.line, message, hint);
        }
        if !problems.has_errors() {
            if self.out.grade.is_empty() {
                problems.add("E-EMPTY", 0, || "the file has no lines of data".into(), QRELS_LINE);
            } else if !self.out.grade.iter().any(|grade| *grade > 0.0) {
                let message = || "no document is relevant: every grade is 0 or less".into();
                problems.add("W-NOREL", 0, message, "is the last column the grade?");
            } else if !self.reading.gains
                && let Some((ranked, all)) = ranked_topics(&self.out)
            {
                let message = || {
                    format!(
                        "no grade is used twice, as in a ranking: \
                         {ranked} of {all} topics with {LEAST_JUDGED} or more judgments"
                    )
                };
                problems.add("W-SWAPPED", 0, message, "is this a run? the qrels come first, then the runs");
            } else if !self.reading.gains
                && let Some((top, next, count)) = outlying_grade(&self.out.grade)
            {
                let message = || format!("the highest grade is {top} ({count} times), far above the next, {next}");
                problems.add(
                    "W-GRADE",
                    0,
                    message,
                    "correct it if it is a typing error: it decides the gain of every document",
                );
            }
        }
        problems.finish();
    }
}

/// How many topics with enough judgments have no grade twice, and how many there are, if it is nearly all of them.
fn ranked_topics(read: &QrelsRead) -> Option<(usize, usize)> {
    let (least, top) =
        read.grade.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), g| (low.min(*g), high.max(*g)));
    if top - least < (LEAST_JUDGED - 1) as f64 {
        return None; // there are fewer grades than that
    }
    let mut rows: Vec<(u32, i64)> =
        read.topic.iter().zip(&read.grade).map(|(topic, grade)| (*topic, *grade as i64)).collect();
    rows.sort_unstable();
    let topics = rows.chunk_by(|a, b| a.0 == b.0).filter(|rows| rows.len() >= LEAST_JUDGED);
    let (mut ranked, mut all) = (0, 0);
    for rows in topics {
        all += 1;
        ranked += usize::from(rows.windows(2).all(|pair| pair[0] != pair[1]));
    }
    (all > 0 && ranked as f64 >= NEARLY_ALL * all as f64).then_some((ranked, all))
}

/// A highest grade that is more than four times the next one and rare: its value, the next, and how often it occurs.
fn outlying_grade(grades: &[f64]) -> Option<(f64, f64, usize)> {
    const RATIO: f64 = 4.0;
    const RARE: f64 = 0.01; // of the relevant documents, or a single one
    let top = grades.iter().copied().fold(0.0, f64::max);
    let next = grades.iter().copied().filter(|grade| *grade < top).fold(0.0, f64::max);
    let count = grades.iter().filter(|grade| **grade == top).count();
    let relevant = grades.iter().filter(|grade| **grade > 0.0).count();
    (next > 0.0 && top > RATIO * next && count as f64 <= (RARE * relevant as f64).max(1.0))
        .then_some((top, next, count))
}

fn decimal(grade: &str, line: u64, problems: &mut Problems) {
    let message = || format!("grade \"{grade}\" is not a whole number");
    problems.add("E-DECIMAL", line, message, "if decimals are meant: --gains (in Python gains=True)");
}
