//! What is wrong with an input: a code, a line, a sentence and a hint.

use std::collections::BTreeMap;

/// How many problems of one file are kept in full; the rest are counted.
pub const KEPT: usize = 100;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// `E-…` stops, `W-…` does not.
    pub code: &'static str,
    /// Line in the file from 1; 0 when the whole file is meant.
    pub line: u64,
    pub message: String,
    pub hint: String,
    /// The earlier line that this one repeats, until it is part of the message; otherwise 0.
    first: u64,
}

impl Problem {
    pub fn new(code: &'static str, line: u64, message: impl Into<String>, hint: impl Into<String>) -> Problem {
        Problem { code, line, message: message.into(), hint: hint.into(), first: 0 }
    }

    /// The same problem where so many other lines stand before those that were counted.
    pub fn after(mut self, lines: u64) -> Problem {
        for line in [&mut self.line, &mut self.first] {
            *line += if *line > 0 { lines } else { 0 };
        }
        self
    }
}

#[derive(Clone, Debug, Default)]
pub struct Problems {
    kept: Vec<Problem>,
    counts: BTreeMap<&'static str, u64>,
}

impl Problems {
    /// The message is only made where it is kept: a file of garbage costs no more than a good one.
    pub fn add(&mut self, code: &'static str, line: u64, message: impl FnOnce() -> String, hint: &str) {
        self.repeats(code, [0, line], message, hint);
    }

    /// A line that repeats an earlier one.
    pub fn repeats(
        &mut self,
        code: &'static str,
        [first, line]: [u64; 2],
        message: impl FnOnce() -> String,
        hint: &str,
    ) {
        *self.counts.entry(code).or_default() += 1;
        if self.kept.len() < KEPT {
            self.kept.push(Problem { first, ..Problem::new(code, line, message(), hint) });
        }
    }

    pub fn push(&mut self, problem: Problem) {
        self.add(problem.code, problem.line, || problem.message, &problem.hint);
    }

    /// Take over what a later part of the file found, its lines counted on from `lines`.
    pub fn append(&mut self, later: Problems, lines: u64) {
        for (code, count) in later.counts {
            *self.counts.entry(code).or_default() += count;
        }
        let room = KEPT - self.kept.len();
        self.kept.extend(later.kept.into_iter().take(room).map(|problem| problem.after(lines)));
    }

    /// Give the problems of one code another hint.
    pub fn explain(&mut self, code: &str, hint: &str) {
        self.kept.iter_mut().filter(|problem| problem.code == code).for_each(|problem| problem.hint = hint.into());
    }

    pub fn kept(&self) -> &[Problem] {
        &self.kept
    }

    pub fn counts(&self) -> &BTreeMap<&'static str, u64> {
        &self.counts
    }

    pub fn has_errors(&self) -> bool {
        self.counts.keys().any(|code| code.starts_with('E'))
    }

    /// When all lines are counted: errors first, then by line, which is what a reader wants to see.
    pub fn finish(&mut self) {
        self.kept.sort_by_key(|p| (!p.code.starts_with('E'), p.line));
        for problem in self.kept.iter_mut().filter(|problem| problem.first > 0) {
            problem.message.push_str(&format!(" (first on line {})", problem.first));
            problem.first = 0;
        }
    }
}

/// Something seen often and said once: how often, where first, and one example.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub count: u64,
    pub line: u64,
    pub example: String,
}

impl Tally {
    pub fn see(&mut self, line: u64, example: impl FnOnce() -> String) {
        if self.count == 0 {
            self.line = line;
            self.example = example();
        }
        self.count += 1;
    }

    pub fn append(&mut self, later: Tally, lines: u64) {
        if self.count == 0 && later.count > 0 {
            self.line = later.line + lines;
            self.example = later.example;
        }
        self.count += later.count;
    }
}

/// Bytes of an input as they can be shown in one line of a message: never longer than 60 characters.
pub fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut out = String::new();
    for (i, c) in text.chars().enumerate() {
        if i == 60 {
            out.push('…');
            break;
        }
        if c.is_control() {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_a_hundred_and_counts_the_rest() {
        let mut problems = Problems::default();
        for line in 1..=250 {
            problems.add("E-FIELDS", line, String::new, "");
        }
        assert_eq!(problems.kept().len(), KEPT);
        assert_eq!(problems.counts()["E-FIELDS"], 250);
    }

    #[test]
    fn later_parts_count_their_lines_on() {
        let (mut first, mut second) = (Problems::default(), Problems::default());
        second.add("E-SCORE", 3, String::new, "");
        second.add("E-EMPTY", 0, String::new, "");
        second.repeats("E-DUPDOC", [4, 5], || "twice".into(), "");
        first.append(second, 40);
        first.finish();
        let said: Vec<_> = first.kept().iter().map(|p| (p.line, p.message.as_str())).collect();
        assert_eq!(said, [(0, ""), (43, ""), (45, "twice (first on line 44)")]);
    }

    #[test]
    fn shows_control_characters_and_cuts_long_values() {
        assert_eq!(shown(b"a\x00b\t"), "a\\u{0}b\\t");
        assert_eq!(shown(&[b'x'; 80]).chars().count(), 61);
    }
}
