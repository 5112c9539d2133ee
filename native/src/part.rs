//! What a part of a run yields, and what is said about the whole.

use blake3::hazmat::ChainingValue;

use crate::checks::{Checks, report_depth, report_grades};
use crate::numbered::{MOST, Numbered};
use crate::problem::{Problems, Tally, shown};
use crate::rank::{Ranked, Topic, Wanted};
use crate::source::Stop;
use crate::text::Seen;

pub const RUN_LINE: &str = "a run line reads: topic Q0 document rank score tag";

#[derive(Default)]
pub struct Part {
    pub ranked: Ranked,
    pub problems: Problems,
    pub seen: Seen,
    /// The topics of `ranked`, to know one that comes back.
    known: Numbered,
    /// The first tag and its line; the first other tag and its line.
    pub tag: Option<(Vec<u8>, u64)>,
    other_tag: Option<(Vec<u8>, u64)>,
    /// Second columns that are neither Q0 nor 0, once for each topic.
    pub second: Tally,
    /// Lines cut by spaces only, lines cut by tabs.
    pub separators: [Tally; 2],
    /// Lines with more columns than are read.
    pub extra: Tally,
    pub checks: Checks,
    pub digests: Vec<ChainingValue>,
}

impl Part {
    /// A topic has ended: rank it.
    pub fn end(&mut self, topic: &Topic, wanted: &Wanted, problems: &mut Problems) -> Result<(), Stop> {
        if topic.keys.is_empty() {
            return Ok(());
        }
        self.know(&topic.name)?;
        self.ranked.add(topic, wanted, problems)
    }

    fn know(&mut self, name: &[u8]) -> Result<(), Stop> {
        let next = self.ranked.topics.len();
        if next >= MOST {
            return Err(Stop::problem("E-LARGE", format!("there are more than {MOST} topics"), "split the file"));
        }
        let hash = self.known.hash(name);
        match self.known.enter(hash, next as u32, |i| self.ranked.topics.get(i as usize) == name) {
            Some(_) => Err(Stop::Scattered),
            None => Ok(()),
        }
    }

    /// Take over what the next part of the file yields.
    pub fn append(&mut self, later: Part) -> Result<(), Stop> {
        let lines = self.seen.lines;
        for topic in later.ranked.topics.iter() {
            self.know(topic)?;
            self.ranked.topics.push(topic);
        }
        self.ranked.append(later.ranked, lines);
        self.problems.append(later.problems, lines);
        self.seen.append(later.seen);
        self.digests.extend(later.digests);
        for (tag, line) in [later.tag, later.other_tag].into_iter().flatten() {
            self.see_tag(&tag, line + lines);
        }
        self.second.append(later.second, lines);
        self.extra.append(later.extra, lines);
        self.checks.append(later.checks, lines);
        let [spaces, tabs] = later.separators;
        self.separators[0].append(spaces, lines);
        self.separators[1].append(tabs, lines);
        Ok(())
    }

    pub fn see_tag(&mut self, tag: &[u8], line: u64) {
        match &self.tag {
            None => self.tag = Some((tag.to_vec(), line)),
            Some((first, _)) if first == tag => {}
            Some(_) if self.other_tag.is_none() => self.other_tag = Some((tag.to_vec(), line)),
            Some(_) => {}
        }
    }

    /// Say once what was seen often.
    pub fn report(&mut self, gathered: bool, ranks_decide: bool) {
        self.seen.report(&mut self.problems);
        self.report_lines();
        let ranks_alone = ranks_decide && !self.checks.has_ranks;
        if !(ranks_alone && report_grades(&self.ranked, &mut self.problems)) {
            self.checks.report_scores(&self.ranked, ranks_decide, &mut self.problems);
        }
        if gathered {
            let message = || "the lines of a topic do not stand together".into();
            let hint = "harmless, but reading needs more memory: sort by topic";
            self.problems.add("W-SCATTERED", 0, message, hint);
        }
        report_depth(&self.ranked, &mut self.problems);
        if self.ranked.rows.is_empty() && !self.problems.has_errors() {
            self.problems.add("E-EMPTY", 0, || "the file has no lines of data".into(), RUN_LINE);
        }
        self.problems.finish();
    }

    fn report_lines(&mut self) {
        let problems = &mut self.problems;
        if let [spaces, tabs] = &self.separators
            && spaces.count.min(tabs.count) > 0
        {
            let message = || "some lines are cut by tabs, others by spaces".into();
            let hint = "harmless; one kind is easier to read";
            problems.add("W-SEPARATOR", spaces.line.max(tabs.line), message, hint);
        }
        if self.second.count > 0 {
            let message = || format!("the second column is \"{}\", not Q0", self.second.example);
            problems.add("W-Q0", self.second.line, message, RUN_LINE);
        }
        if self.extra.count > 0 {
            let message = || format!("lines with more than 6 columns, the rest left out: {}", self.extra.count);
            problems.add("W-COLUMNS", self.extra.line, message, RUN_LINE);
        }
        if let (Some((first, _)), Some((other, line))) = (&self.tag, &self.other_tag) {
            let message = || format!("the tag changes from {} to {}", shown(first), shown(other));
            problems.add("W-TAG", *line, message, "is this several runs in one file?");
            let hint =
                format!("the tags {} and {} name several runs: write one file for each", shown(first), shown(other));
            problems.explain("E-DUPDOC", &hint);
        }
    }
}
