//! Reading judgments.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use crate::number::{self, NotANumber};
use crate::problem::{Problem, Problems, Tally, shown};
use crate::run::text_warnings;
use crate::source::{Control, Feed, Limits, Packing, Source, Stop, digest};
use crate::strings::Strings;
use crate::text::{Line, Seen, columns, lines};

pub const QRELS_LINE: &str = "a qrels line reads: topic 0 document grade";
/// Beyond this a grade is taken for a column in the wrong place.
const LARGEST: i64 = 10_000;

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
    let source = Source::open(path, control)?;
    let mut seen = Seen::default();
    let mut walk = Walk { reading, ..Walk::default() };
    let mut problems = Problems::default();
    let each = |line: Line<'_>, problems: &mut Problems| walk.line(line, problems);
    let digest = if source.packing == Packing::Plain {
        let mut feed = source.part(0, source.size, control);
        lines(&mut feed, 0, limits.line, &mut seen, &mut problems, each)?;
        let mut rest = Vec::new();
        while feed.more(&mut rest)? > 0 {
            rest.clear();
        }
        digest(&feed.digests, source.size)?
    } else {
        let mut feed = source.stream(limits, control)?;
        lines(&mut feed, 0, limits.line, &mut seen, &mut problems, each)?;
        feed.digest
    };
    let mut out = walk.out;
    text_warnings(&seen, &mut |code, tally: &Tally, message, hint| {
        if tally.count > 0 {
            problems.add(code, tally.line, || message, hint);
        }
    });
    if walk.negative.count > 0 {
        let message = format!("{} grades are negative and count as unjudged", walk.negative.count);
        problems.add(
            "W-NEGATIVE",
            walk.negative.line,
            || message,
            "write 0 where the document was judged not relevant",
        );
    }
    if out.grade.is_empty() && !problems.has_errors() {
        problems.add("E-EMPTY", 0, || "the file has no lines of data".into(), QRELS_LINE);
    } else if !out.grade.iter().any(|g| *g > 0.0) && !problems.has_errors() {
        let message = || "no document is relevant: every grade is 0 or less".into();
        problems.add("W-NOREL", 0, message, "is the last column the grade?");
    }
    problems.sort();
    out.problems = problems;
    out.lines = seen.lines;
    out.header = String::from_utf8_lossy(&seen.header).into_owned();
    out.digest = digest;
    Ok(out)
}

#[derive(Default)]
struct Walk {
    reading: Reading,
    /// Columns, as the first line has them.
    width: Option<usize>,
    topics: HashMap<Box<[u8]>, u32>,
    iterations: HashMap<Box<[u8]>, u32>,
    /// Row and line of each judgment, to name the first of two.
    judged: HashMap<Vec<u8>, u32>,
    at: Vec<u64>,
    negative: Tally,
    out: QrelsRead,
}

fn number_of(index: &mut HashMap<Box<[u8]>, u32>, all: &mut Strings, name: &[u8]) -> u32 {
    if let Some(number) = index.get(name) {
        return *number;
    }
    let number = all.len() as u32;
    index.insert(name.into(), number);
    all.push(name);
    number
}

impl Walk {
    fn line(&mut self, line: Line<'_>, problems: &mut Problems) -> Result<bool, Stop> {
        let mut field = [b"".as_slice(); 6];
        let count = columns(line.bytes, &mut field);
        let width = match self.width {
            Some(width) => width,
            None => {
                if count == 6 && number::score(field[4]).is_ok() {
                    return Err(Stop::Problem(Problem {
                        code: "E-SWAPPED",
                        line: 0,
                        message: "this looks like a run where qrels are expected".into(),
                        hint: "the qrels come first, then the runs".into(),
                    }));
                }
                // BEIR's qrels start with the names of their three columns.
                if count == 3 && self.out.grade.is_empty() && matches!(field[2], b"score" | b"grade" | b"relevance") {
                    self.width = Some(3);
                    return Ok(true);
                }
                *self.width.insert(if count == 3 { 3 } else { 4 })
            }
        };
        if count != width {
            let message = || format!("{count} columns where qrels have {width}: \"{}\"", shown(line.bytes));
            problems.add("E-FIELDS", line.number, message, QRELS_LINE);
            return Ok(true);
        }
        let [topic, iteration, document, grade] = match width {
            3 => [field[0], b"0", field[1], field[2]],
            _ => [field[0], field[1], field[2], field[3]],
        };
        let Some(grade) = self.grade(grade, line.number, problems) else {
            return Ok(true);
        };
        let topic_number = number_of(&mut self.topics, &mut self.out.topics, topic);
        let row = self.out.grade.len() as u32;
        let mut key = Vec::with_capacity(topic.len() + document.len() + 2);
        for part in [topic, if self.reading.subtopics { iteration } else { b"" }, document] {
            key.extend_from_slice(part);
            key.push(0);
        }
        if let Some(earlier) = self.judged.get(&key) {
            let (first, before) = (self.at[*earlier as usize], self.out.grade[*earlier as usize]);
            let (document, topic) = (shown(document), shown(topic));
            if before == grade {
                let message =
                    || format!("document {document} is judged twice in topic {topic} (first on line {first})");
                problems.add("E-DUPQREL", line.number, message, "keep one line for each document of a topic");
            } else {
                let message =
                    || format!("document {document} has grade {grade} in topic {topic}, but {before} on line {first}");
                let hint = "decide on one grade; if the second column names subtopics, read them as such";
                problems.add("E-CONFLICT", line.number, message, hint);
            }
            return Ok(true);
        }
        self.judged.insert(key, row);
        self.at.push(line.number);
        self.out.topic.push(topic_number);
        self.out.iteration.push(number_of(&mut self.iterations, &mut self.out.iterations, iteration));
        self.out.document.push(document);
        self.out.grade.push(grade);
        Ok(true)
    }

    fn grade(&mut self, text: &[u8], line: u64, problems: &mut Problems) -> Option<f64> {
        let grade = match (number::whole(text), number::score(text)) {
            (Some(whole), _) if whole.abs() > LARGEST => {
                let message = || format!("grade {whole} is out of range");
                problems.add(
                    "E-RANGE",
                    line,
                    message,
                    "grades lie between -10000 and 10000: is this the right column?",
                );
                return None;
            }
            (Some(whole), _) => whole as f64,
            (None, Ok(gain)) if self.reading.gains => gain,
            (None, Ok(_)) => {
                let message = || format!("grade \"{}\" is not a whole number", shown(text));
                problems.add("E-DECIMAL", line, message, "to use decimals as gains, read the file with gains");
                return None;
            }
            (None, Err(wrong)) => {
                let what = if wrong == NotANumber::NotFinite { "finite" } else { "a number" };
                let message = || format!("grade \"{}\" is not {what}", shown(text));
                problems.add("E-GRADE", line, message, QRELS_LINE);
                return None;
            }
        };
        if grade < 0.0 {
            self.negative.see(line, String::new);
        }
        Some(grade)
    }
}
