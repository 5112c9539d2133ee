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
}

#[derive(Clone, Debug, Default)]
pub struct Problems {
    kept: Vec<Problem>,
    counts: BTreeMap<&'static str, u64>,
}

impl Problems {
    /// The message is only made where it is kept: a file of garbage costs no more than a good one.
    pub fn add(&mut self, code: &'static str, line: u64, message: impl FnOnce() -> String, hint: &str) {
        *self.counts.entry(code).or_default() += 1;
        if self.kept.len() < KEPT {
            self.kept.push(Problem { code, line, message: message(), hint: hint.to_owned() });
        }
    }

    pub fn push(&mut self, problem: Problem) {
        let Problem { code, line, message, hint } = problem;
        self.add(code, line, || message, &hint);
    }

    /// Take over what a later part of the file found, its lines counted on from `lines`.
    pub fn append(&mut self, later: Problems, lines: u64) {
        for (code, count) in later.counts {
            *self.counts.entry(code).or_default() += count;
        }
        for mut problem in later.kept {
            if self.kept.len() == KEPT {
                break;
            }
            if problem.line > 0 {
                problem.line += lines;
            }
            self.kept.push(problem);
        }
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

    /// Errors first, then by line: what a reader wants to see, whatever order the threads found it in.
    pub fn sort(&mut self) {
        self.kept.sort_by_key(|p| (!p.code.starts_with('E'), p.line));
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
        first.append(second, 40);
        assert_eq!(first.kept()[0].line, 43);
        assert_eq!(first.kept()[1].line, 0);
    }

    #[test]
    fn shows_control_characters_and_cuts_long_values() {
        assert_eq!(shown(b"a\x00b\t"), "a\\u{0}b\\t");
        assert_eq!(shown(&[b'x'; 80]).chars().count(), 61);
    }
}
