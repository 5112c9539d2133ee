//! Reading a run: parts side by side, each walked once, topics ranked as they end.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use blake3::hazmat::ChainingValue;

use crate::number::{self, NotANumber};
use crate::problem::{Problem, Problems, Tally, shown};
use crate::rank::{Ranked, Ties, Topic, Wanted};
use crate::source::{BLOCK, Control, Feed, Limits, Packing, Source, Stop, digest};
use crate::text::{Line, Seen, columns, lines};

pub const RUN_LINE: &str = "a run line reads: topic Q0 document rank score tag";

/// The two ways people write a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// topic Q0 document rank score tag
    Trec,
    /// topic document rank
    Msmarco,
}

/// A run as it was read.
pub struct RunRead {
    pub ranked: Ranked,
    pub problems: Problems,
    pub lines: u64,
    pub tag: String,
    pub header: String,
    pub digest: String,
    pub format: Format,
}

/// What a part of the file yields.
#[derive(Default)]
struct Part {
    ranked: Ranked,
    problems: Problems,
    seen: Seen,
    topics: HashSet<Box<[u8]>>,
    /// The first tag and its line; the first other tag and its line.
    tag: Option<(Vec<u8>, u64)>,
    other_tag: Option<(Vec<u8>, u64)>,
    second: Tally,
    separators: [Tally; 2],
    rank_order: Tally,
    digests: Vec<ChainingValue>,
}

/// Read a run: rank every topic, match the named documents. What is wrong with it is in `problems`.
pub fn read_run(
    path: &Path,
    wanted: &Wanted<'_>,
    threads: usize,
    limits: Limits,
    control: &Arc<Control>,
) -> Result<RunRead, Stop> {
    let source = Source::open(path, control)?;
    if source.size > limits.bytes {
        return Err(Stop::Problem(Problem {
            code: "E-SIZE",
            line: 0,
            message: format!("the file has more than {} bytes", limits.bytes),
            hint: "raise the limit if the file is meant to be this large".into(),
        }));
    }
    let format = sniff(&source.head(1 << 16)?)?;
    match once(&source, format, wanted, threads, limits, control, false) {
        Err(Stop::Scattered) => {
            control.done.store(0, Relaxed);
            once(&source, format, wanted, 1, limits, control, true)
        }
        end => end,
    }
}

/// What kind of run the first line of data shows.
fn sniff(head: &[u8]) -> Result<Format, Stop> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let stop = |code, message: &str, hint: &str| {
        Err(Stop::Problem(Problem { code, line: 0, message: message.into(), hint: hint.into() }))
    };
    match head {
        [b'P', b'A', b'R', b'1', ..] => {
            return stop("E-FORMAT", "this is a Parquet file", "let its name end in .parquet");
        }
        [b'{' | b'[', ..] => {
            return stop("E-FORMAT", "this looks like JSON", "let its name end in .json");
        }
        [b'%', b'P', b'D', b'F', ..] => return stop("E-FORMAT", "this is a PDF", RUN_LINE),
        _ => {}
    }
    let blank = |l: &&[u8]| l.first() != Some(&b'#') && l.iter().any(|b| *b > b' ');
    let Some(line) = head.split(|b| *b == b'\n').find(blank) else {
        return Ok(Format::Trec);
    };
    let mut field = [b"".as_slice(); 6];
    match columns(line, &mut field) {
        3 => Ok(Format::Msmarco),
        4 if number::whole(field[3]).is_some() => {
            stop("E-SWAPPED", "this looks like qrels where a run is expected", "the qrels come first, then the runs")
        }
        _ => Ok(Format::Trec),
    }
}

fn once(
    source: &Source,
    format: Format,
    wanted: &Wanted<'_>,
    threads: usize,
    limits: Limits,
    control: &Arc<Control>,
    gather: bool,
) -> Result<RunRead, Stop> {
    let (mut part, digest) = if source.packing == Packing::Plain {
        let borders = borders(source, threads, limits, control)?;
        let parts = std::thread::scope(|scope| {
            let walk = |from: u64, to: u64| {
                let mut feed = source.part(from, to, control);
                let mut part = Walk::new(format, wanted, gather).through(&mut feed, from, limits)?;
                part.digests = feed.digests;
                Ok(part)
            };
            let others: Vec<_> = borders.windows(2).skip(1).map(|b| scope.spawn(move || walk(b[0], b[1]))).collect();
            let mut parts = vec![walk(borders[0], borders[1])];
            parts.extend(others.into_iter().map(|p| p.join().unwrap_or(Err(Stop::Interrupted))));
            parts
        });
        let mut all = Part::default();
        for part in parts {
            all.append(part?)?;
        }
        let digest = digest(&all.digests, source.size)?;
        (all, digest)
    } else {
        let mut feed = source.stream(limits, control)?;
        let part = Walk::new(format, wanted, gather).through(&mut feed, 0, limits)?;
        (part, feed.digest)
    };
    part.report(gather);
    Ok(RunRead {
        lines: part.seen.lines,
        tag: String::from_utf8_lossy(&part.tag.unwrap_or_default().0).into_owned(),
        header: String::from_utf8_lossy(&part.seen.header).into_owned(),
        ranked: part.ranked,
        problems: part.problems,
        digest,
        format,
    })
}

impl Part {
    fn append(&mut self, later: Part) -> Result<(), Stop> {
        if later.topics.iter().any(|t| self.topics.contains(t)) {
            return Err(Stop::Scattered);
        }
        let lines = self.seen.lines;
        self.topics.extend(later.topics);
        self.ranked.append(later.ranked, lines);
        self.problems.append(later.problems, lines);
        self.seen.lines += later.seen.lines;
        self.seen.crlf.append(later.seen.crlf, lines);
        self.seen.blank.append(later.seen.blank, lines);
        self.seen.unended |= later.seen.unended;
        self.digests.extend(later.digests);
        for (tag, line) in [later.tag, later.other_tag].into_iter().flatten() {
            self.see_tag(&tag, line + lines);
        }
        self.second.append(later.second, lines);
        self.rank_order.append(later.rank_order, lines);
        let [spaces, tabs] = later.separators;
        self.separators[0].append(spaces, lines);
        self.separators[1].append(tabs, lines);
        Ok(())
    }

    #[inline]
    fn see_tag(&mut self, tag: &[u8], line: u64) {
        match &self.tag {
            Some((first, _)) if first == tag => {}
            None => self.tag = Some((tag.to_vec(), line)),
            Some(_) if self.other_tag.is_none() => self.other_tag = Some((tag.to_vec(), line)),
            Some(_) => {}
        }
    }

    /// Say once what was seen often.
    fn report(&mut self, gathered: bool) {
        let Part { problems, seen, ranked, .. } = self;
        let mut warn = |code, tally: &Tally, message: String, hint: &str| {
            if tally.count > 0 {
                problems.add(code, tally.line, || message, hint);
            }
        };
        let n = |tally: &Tally| tally.count;
        text_warnings(seen, &mut warn);
        if self.separators.iter().all(|s| s.count > 0) {
            let later = self.separators.iter().max_by_key(|s| s.line).cloned().unwrap_or_default();
            warn(
                "W-SEPARATOR",
                &later,
                "some lines are cut by tabs, others by spaces".into(),
                "harmless; one kind is easier to read",
            );
        }
        let message = format!("the second column is \"{}\", not Q0", self.second.example);
        warn("W-Q0", &self.second, message, RUN_LINE);
        if let (Some((first, _)), Some((other, line))) = (&self.tag, &self.other_tag) {
            let changed = Tally { count: 1, line: *line, ..Tally::default() };
            let message = format!("the tag changes from {} to {}", shown(first), shown(other));
            warn("W-TAG", &changed, message, "is this several runs in one file?");
        }
        let message = format!(
            "the rank column disagrees with the scores on {} lines (first in topic {}); the scores decide",
            n(&self.rank_order),
            self.rank_order.example
        );
        warn("W-RANK", &self.rank_order, message, "use ties=rank to follow the rank column");
        let t = &ranked.tied;
        let message = format!("{} documents share their score with another (first in topic {})", n(t), t.example);
        warn("W-TIES", t, message, "ties are put in order by document id, descending; see ties=");
        let t = &ranked.constant;
        let message = format!("all documents have the same score in {} topics (first {})", n(t), t.example);
        warn("W-CONSTANT", t, message, "use ties=rank if the rank column holds the order");
        let t = &ranked.single_ties;
        let message = format!("{} neighbours differ in float64 only (first in topic {})", n(t), t.example);
        warn("W-FLOAT32", t, message, "trec_eval 9 would tie them; see compat=");
        let t = &ranked.itself;
        let message = format!("{} topics retrieve a document with the topic's own id (first {})", n(t), t.example);
        warn("W-SELF", t, message, "was the topic taken from the collection?");
        if gathered {
            let problem = "the lines of a topic do not stand together";
            problems.add("W-SCATTERED", 0, || problem.into(), "harmless, but reading needs more memory: sort by topic");
        }
        let deepest = ranked.rows.iter().map(|r| r.retrieved).max().unwrap_or(0);
        let short: Vec<usize> = (0..ranked.rows.len()).filter(|i| ranked.rows[*i].retrieved < deepest).collect();
        if let Some(least) = short.iter().min_by_key(|i| ranked.rows[**i].retrieved) {
            let (few, topic) = (ranked.rows[*least].retrieved, shown(ranked.topics.get(*least)));
            let message = format!(
                "{} of {} topics have fewer than {deepest} documents (topic {topic} has {few})",
                short.len(),
                ranked.rows.len()
            );
            problems.add("W-SHORT", 0, || message, "what is not retrieved counts as not found");
        }
        if ranked.rows.is_empty() && !problems.has_errors() {
            problems.add("E-EMPTY", 0, || "the file has no lines of data".into(), RUN_LINE);
        }
        problems.sort();
    }
}

/// Warnings any text file can earn.
pub fn text_warnings(seen: &Seen, warn: &mut impl FnMut(&'static str, &Tally, String, &str)) {
    let count = seen.crlf.count;
    warn("W-CRLF", &seen.crlf, format!("{count} lines end as on Windows"), "harmless; dos2unix removes it");
    let count = seen.blank.count;
    warn("W-BLANK", &seen.blank, format!("{count} lines are blank"), "harmless; was the file joined from several?");
    let unended = Tally { count: u64::from(seen.unended), line: seen.lines, ..Tally::default() };
    warn("W-END", &unended, "the last line has no end of line".into(), "was the file cut short?");
}

/// Cut a plain file where topics begin, into about equal parts of at least four blocks.
fn borders(source: &Source, threads: usize, limits: Limits, control: &Arc<Control>) -> Result<Vec<u64>, Stop> {
    let size = source.size;
    let count = (threads as u64).clamp(1, (size / (4 * BLOCK as u64)).max(1));
    let mut borders = vec![0];
    for i in 1..count {
        let middle = size / count * i;
        let (mut topic, mut border) = (None, size);
        // What is read here is read again by a part, so it counts neither for progress nor for problems.
        let mut feed = source.part(middle - 1, size, &Arc::new(Control::default()));
        lines(&mut feed, middle - 1, limits.line, &mut Seen::default(), &mut Problems::default(), |line, _| {
            if control.stop.load(Relaxed) {
                return Err(Stop::Interrupted);
            }
            // The rest of the line that crosses the middle is no line.
            if line.offset < middle {
                return Ok(true);
            }
            let mut field = [b"".as_slice(); 1];
            columns(line.bytes, &mut field);
            let first = topic.get_or_insert_with(|| field[0].to_vec());
            if *first != field[0] {
                border = line.offset;
            }
            Ok(border == size)
        })?;
        if borders.last().is_some_and(|last| border > *last) && border < size {
            borders.push(border);
        }
    }
    borders.push(size);
    Ok(borders)
}

/// One way through a part of the file.
struct Walk<'w, 'n> {
    format: Format,
    wanted: &'w Wanted<'n>,
    /// The topic being read; all topics, by name, where their lines do not stand together.
    topics: Vec<Topic>,
    at: usize,
    gather: Option<HashMap<Box<[u8]>, usize>>,
    /// `topic Q0 ` of the line before, white space included: most lines start with it again.
    prefix: Vec<u8>,
    /// Score and rank of the line before, in the same topic.
    before: Option<(f64, i64)>,
    part: Part,
}

impl<'w, 'n> Walk<'w, 'n> {
    fn new(format: Format, wanted: &'w Wanted<'n>, gather: bool) -> Self {
        Walk {
            format,
            wanted,
            topics: vec![Topic::default()],
            at: 0,
            gather: gather.then(HashMap::new),
            prefix: Vec::new(),
            before: None,
            part: Part::default(),
        }
    }

    fn through(mut self, feed: &mut impl Feed, offset: u64, limits: Limits) -> Result<Part, Stop> {
        let (mut seen, mut problems) = (Seen::default(), Problems::default());
        lines(feed, offset, limits.line, &mut seen, &mut problems, |line, problems| match self.format {
            Format::Trec => self.trec(line, problems),
            Format::Msmarco => self.msmarco(line, problems),
        })?;
        for topic in std::mem::take(&mut self.topics) {
            self.end(&topic, &mut problems)?;
        }
        self.part.seen = seen;
        self.part.problems = problems;
        Ok(self.part)
    }

    #[inline]
    fn trec(&mut self, line: Line<'_>, problems: &mut Problems) -> Result<bool, Stop> {
        let mut field = [b"".as_slice(); 4];
        let count;
        if !self.prefix.is_empty() && line.bytes.starts_with(&self.prefix) {
            count = 2 + columns(&line.bytes[self.prefix.len()..], &mut field);
        } else {
            let mut all = [b"".as_slice(); 6];
            count = columns(line.bytes, &mut all);
            if count == 6 {
                self.start(line, all[0], all[1], all[2], problems)?;
                field.copy_from_slice(&all[2..]);
            }
        }
        let [document, rank, score, tag] = field;
        if count != 6 {
            let message = || format!("{count} columns where a run has 6: \"{}\"", shown(line.bytes));
            problems.add("E-FIELDS", line.number, message, RUN_LINE);
            return Ok(true);
        }
        let score = match number::score(score) {
            Ok(score) => score,
            Err(wrong) => {
                let (code, what) = match wrong {
                    NotANumber::Unreadable => ("E-SCORE", "not a number"),
                    NotANumber::NotFinite => ("E-FINITE", "not a finite number"),
                };
                let (text, topic, document) = (shown(score), shown(&self.topics[self.at].name), shown(document));
                let message = || format!("score \"{text}\" is {what} (topic {topic}, document {document})");
                problems.add(code, line.number, message, RUN_LINE);
                return Ok(true);
            }
        };
        self.part.see_tag(tag, line.number);
        let score = if self.wanted.single { f64::from(score as f32) } else { score };
        let place = number::whole(rank);
        if let (Some(place), Some((score_before, rank_before))) = (place, self.before) {
            if (score < score_before && place <= rank_before) || (score > score_before && place >= rank_before) {
                let topic = &self.topics[self.at].name;
                self.part.rank_order.see(line.number, || shown(topic));
            }
        }
        self.before = place.map(|place| (score, place));
        let key = match (self.wanted.ties, place) {
            (Ties::Rank, Some(place)) => -(place as f64),
            (Ties::Rank, None) => {
                bad_rank(rank, line.number, problems, RUN_LINE);
                return Ok(true);
            }
            _ => score,
        };
        self.topics[self.at].push(document, key, line.number);
        Ok(true)
    }

    fn msmarco(&mut self, line: Line<'_>, problems: &mut Problems) -> Result<bool, Stop> {
        const MSMARCO_LINE: &str = "a run line of three columns reads: topic document rank";
        let mut field = [b"".as_slice(); 3];
        let count = columns(line.bytes, &mut field);
        let [topic, document, rank] = field;
        if count != 3 {
            let message = || format!("{count} columns where the first line has 3: \"{}\"", shown(line.bytes));
            problems.add("E-FIELDS", line.number, message, MSMARCO_LINE);
            return Ok(true);
        }
        let Some(place) = number::whole(rank) else {
            bad_rank(rank, line.number, problems, MSMARCO_LINE);
            return Ok(true);
        };
        if topic != self.topics[self.at].name || self.topics[self.at].keys.is_empty() {
            self.turn(topic, problems)?;
        }
        self.topics[self.at].push(document, -(place as f64), line.number);
        Ok(true)
    }

    /// A line whose start is not that of the line before: see what changed.
    #[cold]
    fn start(
        &mut self,
        line: Line<'_>,
        topic: &[u8],
        second: &[u8],
        document: &[u8],
        problems: &mut Problems,
    ) -> Result<(), Stop> {
        if topic != self.topics[self.at].name || self.topics[self.at].keys.is_empty() {
            self.turn(topic, problems)?;
        }
        if second != b"Q0" && second != b"0" {
            self.part.second.see(line.number, || shown(second));
        }
        // The prefix ends where the document starts; both are slices of the same line.
        let length = document.as_ptr() as usize - line.bytes.as_ptr() as usize;
        self.prefix = line.bytes[..length].to_vec();
        self.part.separators[usize::from(self.prefix.contains(&b'\t'))].see(line.number, String::new);
        Ok(())
    }

    /// From one topic to the next.
    fn turn(&mut self, name: &[u8], problems: &mut Problems) -> Result<(), Stop> {
        self.before = None;
        if let Some(index) = &mut self.gather {
            let next = self.topics.len();
            self.at = *index.entry(name.into()).or_insert(next);
            if self.at == next {
                self.topics.push(Topic { name: name.to_vec(), ..Topic::default() });
            }
            return Ok(());
        }
        let mut topic = std::mem::take(&mut self.topics[0]);
        self.end(&topic, problems)?;
        topic.clear(name);
        self.topics[0] = topic;
        Ok(())
    }

    fn end(&mut self, topic: &Topic, problems: &mut Problems) -> Result<(), Stop> {
        if topic.keys.is_empty() {
            return Ok(());
        }
        if !self.part.topics.insert(topic.name.as_slice().into()) {
            return Err(Stop::Scattered);
        }
        self.part.ranked.add(topic, self.wanted, problems);
        Ok(())
    }
}

fn bad_rank(rank: &[u8], line: u64, problems: &mut Problems, hint: &str) {
    problems.add("E-RANK", line, || format!("rank \"{}\" is not a whole number", shown(rank)), hint);
}
