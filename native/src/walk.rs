//! One way through a part of a run, line by line.

use crate::alike::Style;
use crate::checks::Earlier;
use crate::feed::Feed;
use crate::number::{self, NotANumber};
use crate::numbered::Numbered;
use crate::part::{Part, RUN_LINE};
use crate::problem::{Problems, shown};
use crate::rank::{Ties, Topic, Wanted};
use crate::source::{Limits, Stop};
use crate::strings::Strings;
use crate::text::{Line, Reader, Seen, columns, read_lines, said};

/// The two ways people write a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// topic Q0 document rank score tag
    Trec,
    /// topic document rank
    Msmarco,
}

impl Format {
    /// Whether a line of so many columns is one of the run.
    pub fn fits(self, columns: usize, wanted: &Wanted) -> bool {
        match self {
            Format::Trec => columns == 6 || (columns > 6 && (wanted.trec_eval_9 || wanted.extra_columns)),
            Format::Msmarco => columns == 3,
        }
    }
}

const MSMARCO_LINE: &str = "a run line of three columns reads: topic document rank";

/// The lines of all topics, for a file in which they do not stand together.
#[derive(Default)]
struct Gathered {
    known: Numbered,
    topics: Strings,
    /// The topic of the line before, and of every line.
    at: u32,
    topic: Vec<u32>,
    /// How many lines each topic has.
    counts: Vec<usize>,
    /// The last line of each topic, to compare the next with.
    earlier: Vec<Earlier>,
    lines: Topic,
}

impl Gathered {
    fn turn(&mut self, name: &[u8], line: u64, most: usize) -> Result<(), Stop> {
        let next = self.topics.len();
        let hash = self.known.hash(name);
        let known = self.known.enter(hash, next as u32, |i| self.topics.get(i as usize) == name);
        if known.is_none() && next >= most {
            return Err(too_many_topics(line, most));
        }
        self.at = known.unwrap_or_else(|| {
            self.topics.push(name);
            self.counts.push(0);
            self.earlier.push(None);
            next as u32
        });
        Ok(())
    }

    #[inline]
    fn push(&mut self, document: &[u8], key: f64, line: u64) {
        self.topic.push(self.at);
        self.counts[self.at as usize] += 1;
        self.lines.push(document, key, line);
    }

    /// Hand over topic by topic.
    fn each(self, mut end: impl FnMut(&Topic) -> Result<(), Stop>) -> Result<(), Stop> {
        // Where the lines of each topic start, then where the next of them goes: a sort by counting.
        let mut starts = vec![0];
        starts.extend(self.counts.iter().scan(0, |end, count| {
            *end += count;
            Some(*end)
        }));
        let mut next = starts.clone();
        let mut order = vec![0usize; self.topic.len()];
        for (line, t) in self.topic.iter().enumerate() {
            order[next[*t as usize]] = line;
            next[*t as usize] += 1;
        }
        let mut topic = Topic::default();
        for (name, ends) in self.topics.iter().zip(starts.windows(2)) {
            topic.clear(name);
            for i in &order[ends[0]..ends[1]] {
                topic.push(self.lines.documents.get(*i), self.lines.keys[*i], self.lines.lines[*i]);
            }
            end(&topic)?;
        }
        Ok(())
    }
}

impl Reader for Walk<'_> {
    fn line(&mut self, line: Line<'_>, problems: &mut Problems) -> Result<bool, Stop> {
        match self.format {
            Format::Trec => self.trec(line, problems)?,
            Format::Msmarco => self.msmarco(line, problems)?,
        }
        if self.depth() > self.limits.documents { Err(self.too_deep(line.number)) } else { Ok(true) }
    }

    #[inline]
    fn many(&mut self, text: &[u8], number: u64, most: u64) -> (u64, usize) {
        let (mut lines, mut bytes) = (0, 0);
        while lines < most
            && self.depth() < self.limits.documents
            && let Some(line) = self.style.line(&text[bytes..])
            && line.length - 1 <= self.limits.line
        {
            (lines, bytes) = (lines + 1, bytes + line.length);
            self.take(number + lines, line.document, Some(line.rank), line.score);
        }
        (lines, bytes)
    }
}

pub struct Walk<'w> {
    format: Format,
    wanted: &'w Wanted,
    limits: Limits,
    /// The topic being read; only its name where lines are gathered.
    topic: Topic,
    gathered: Option<Gathered>,
    /// How the line before was written: most lines have its start and its tag again.
    style: Style,
    /// The line before, in the same topic.
    earlier: Earlier,
    part: Part,
}

impl<'w> Walk<'w> {
    pub fn new(format: Format, wanted: &'w Wanted, limits: Limits, gather: bool) -> Self {
        Walk {
            format,
            wanted,
            limits,
            topic: Topic::default(),
            gathered: gather.then(Gathered::default),
            style: Style::default(),
            earlier: None,
            part: Part::default(),
        }
    }

    pub fn through(mut self, feed: &mut dyn Feed, offset: u64) -> Result<Part, Stop> {
        let (mut seen, mut problems) = (Seen::starting_at(offset), Problems::default());
        read_lines(feed, offset, self.limits, &mut seen, &mut problems, &mut self)?;
        match self.gathered.take() {
            Some(gathered) => gathered.each(|topic| self.part.end(topic, self.wanted, &mut problems))?,
            None => self.part.end(&self.topic, self.wanted, &mut problems)?,
        }
        self.part.seen = seen;
        self.part.problems = problems;
        Ok(self.part)
    }

    fn trec(&mut self, line: Line<'_>, problems: &mut Problems) -> Result<(), Stop> {
        let mut field = [b"".as_slice(); 6];
        let count = columns(line.bytes, &mut field);
        let [topic, second, document, rank, score, tag] = field;
        if !self.format.fits(count, self.wanted) {
            let message = || format!("{} where a run has 6: \"{}\"", said(count), shown(line.bytes));
            problems.add("E-FIELDS", line.number, message, RUN_LINE);
            return Ok(());
        }
        if count > 6 {
            self.part.extra.see(line.number, String::new);
        }
        // The prefix ends where the document starts; both are slices of the same line.
        let prefix = &line.bytes[..document.as_ptr() as usize - line.bytes.as_ptr() as usize];
        if prefix != self.style.prefix() {
            self.start(line.number, prefix, topic, second, problems)?;
        }
        let score = match number::score(score) {
            Ok(value) => {
                if number::is_rounded(score, value) {
                    self.part.checks.rounded.see(line.number, || shown(&self.topic.name));
                }
                value
            }
            Err(wrong) => {
                self.bad_score(wrong, line.number, document, score, problems);
                return Ok(());
            }
        };
        self.part.see_tag(tag, line.number);
        if tag != self.style.tag() {
            self.style = Style::new(prefix, tag);
        }
        let place = number::whole(rank);
        if place.is_none() && self.wanted.ties == Ties::Rank {
            bad_rank(rank, line.number, problems, RUN_LINE);
            return Ok(());
        }
        self.take(line.number, document, place, score);
        Ok(())
    }

    /// A good line; `place` is what its rank column says.
    #[inline(always)]
    fn take(&mut self, line: u64, document: &[u8], place: Option<i64>, score: f64) {
        let score = if self.wanted.trec_eval_9 { f64::from(score as f32) } else { score };
        let earlier = match &mut self.gathered {
            None => &mut self.earlier,
            Some(gathered) => &mut gathered.earlier[gathered.at as usize],
        };
        self.part.checks.see_rank(earlier, score, place.map(|place| place as f64), line, &self.topic.name);
        let key = match (self.wanted.ties, place) {
            (Ties::Rank, Some(place)) => by_rank(place),
            _ => score,
        };
        self.push(document, key, line);
    }

    #[inline(always)]
    fn push(&mut self, document: &[u8], key: f64, line: u64) {
        match &mut self.gathered {
            None => self.topic.push(document, key, line),
            Some(gathered) => gathered.push(document, key, line),
        }
    }

    /// How many lines the topic being read has so far.
    #[inline]
    fn depth(&self) -> usize {
        match &self.gathered {
            None => self.topic.keys.len(),
            Some(gathered) => gathered.counts.get(gathered.at as usize).copied().unwrap_or(0),
        }
    }

    #[cold]
    fn too_deep(&self, line: u64) -> Stop {
        let (topic, most) = (shown(&self.topic.name), self.limits.documents);
        Stop::too_many(line, format!("topic {topic} has more than {most} documents"))
    }

    fn msmarco(&mut self, line: Line<'_>, problems: &mut Problems) -> Result<(), Stop> {
        let mut field = [b"".as_slice(); 3];
        let count = columns(line.bytes, &mut field);
        let [topic, document, rank] = field;
        if count != 3 {
            let message = || format!("{} where the first line has 3: \"{}\"", said(count), shown(line.bytes));
            problems.add("E-FIELDS", line.number, message, MSMARCO_LINE);
            return Ok(());
        }
        self.turn(topic, line.number, problems)?;
        match number::whole(rank) {
            Some(place) => self.push(document, by_rank(place), line.number),
            None => bad_rank(rank, line.number, problems, MSMARCO_LINE),
        }
        Ok(())
    }

    /// A line whose start is not that of the line before: see what changed.
    fn start(
        &mut self,
        line: u64,
        prefix: &[u8],
        topic: &[u8],
        second: &[u8],
        problems: &mut Problems,
    ) -> Result<(), Stop> {
        self.turn(topic, line, problems)?;
        if second != b"Q0" && second != b"0" {
            self.part.second.see(line, || shown(second));
        }
        self.style = Style::new(prefix, self.style.tag());
        self.part.separators[usize::from(prefix.contains(&b'\t'))].see(line, String::new);
        Ok(())
    }

    /// Perhaps from one topic to the next.
    #[inline]
    fn turn(&mut self, name: &[u8], line: u64, problems: &mut Problems) -> Result<(), Stop> {
        if name == self.topic.name {
            return Ok(());
        }
        self.earlier = None;
        let most = self.limits.topics;
        match &mut self.gathered {
            Some(gathered) => gathered.turn(name, line, most)?,
            None => {
                self.part.end(&self.topic, self.wanted, problems)?;
                let topics = &self.part.ranked.topics;
                if topics.len() >= most {
                    // One that comes back is none too many.
                    let again = topics.iter().any(|topic| topic == name);
                    return Err(if again { Stop::Scattered } else { too_many_topics(line, most) });
                }
            }
        }
        self.topic.clear(name);
        Ok(())
    }

    #[cold]
    fn bad_score(&self, wrong: NotANumber, line: u64, document: &[u8], score: &[u8], problems: &mut Problems) {
        let (code, what) = match wrong {
            NotANumber::Unreadable => ("E-SCORE", "not a number"),
            NotANumber::NotFinite => ("E-FINITE", "not a finite number"),
        };
        let message = || {
            let (score, topic, document) = (shown(score), shown(&self.topic.name), shown(document));
            format!("score \"{score}\" is {what} (topic {topic}, document {document})")
        };
        problems.add(code, line, message, RUN_LINE);
    }
}

#[cold]
fn too_many_topics(line: u64, most: usize) -> Stop {
    Stop::too_many(line, format!("there are more than {most} topics"))
}

/// Ranks as keys: the first is the highest.
fn by_rank(place: i64) -> f64 {
    0.0 - place as f64
}

#[cold]
fn bad_rank(rank: &[u8], line: u64, problems: &mut Problems, hint: &str) {
    problems.add("E-RANK", line, || format!("rank \"{}\" is not a whole number", shown(rank)), hint);
}
