//! One topic of one run: its lines, put in order and matched.

use std::collections::HashMap;
use std::ops::Range;

use crate::names::{Names, Numbered};
use crate::problem::{Problems, Tally, shown};
use crate::strings::Strings;

/// How documents with the same score are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ties {
    /// By document id, descending by bytes, as trec_eval does.
    #[default]
    Trec,
    /// By document id, ascending by bytes.
    DocnoAsc,
    /// As the lines stand.
    Input,
    /// The score is ignored: the rank column gives the order, the lines as they stand decide its ties.
    Rank,
}

/// A number for each document, for sums over everything above a document.
#[derive(Clone, Debug, Default)]
pub struct Attribute {
    pub values: HashMap<Box<[u8]>, f64>,
    /// What a document without a value counts.
    pub default: f64,
}

/// What to make of a run.
#[derive(Clone, Copy, Default)]
pub struct Wanted<'a> {
    pub ties: Ties,
    /// Compare scores as float32, as trec_eval 9 does.
    pub single: bool,
    /// Match against these documents.
    pub names: Option<&'a Names>,
    pub attribute: Option<&'a Attribute>,
    /// Keep the documents themselves, down to this rank.
    pub depth: Option<u32>,
}

/// The lines of one topic as they stand in the file.
#[derive(Clone, Debug, Default)]
pub struct Topic {
    pub name: Vec<u8>,
    pub documents: Strings,
    /// What the lines are ordered by, highest first.
    pub keys: Vec<f64>,
    pub lines: Vec<u64>,
}

impl Topic {
    #[inline]
    pub fn push(&mut self, document: &[u8], key: f64, line: u64) {
        self.documents.push(document);
        self.keys.push(key);
        self.lines.push(line);
    }

    pub fn clear(&mut self, name: &[u8]) {
        self.name.clear();
        self.name.extend_from_slice(name);
        self.documents.clear();
        self.keys.clear();
        self.lines.clear();
    }
}

/// A named document that the run retrieved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    pub document: u32,
    pub rank: u32,
    pub tie_first: u32,
    pub tie_last: u32,
    /// Sum of the attribute over all documents ranked above.
    pub above: f64,
}

#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Documents retrieved.
    pub retrieved: u32,
    /// Documents that share their key with another.
    pub tied: u32,
    pub found: Range<usize>,
    pub kept: Range<usize>,
}

/// Rankings of many topics, in order of appearance.
#[derive(Default)]
pub struct Ranked {
    pub topics: Strings,
    pub rows: Vec<Row>,
    pub found: Vec<Found>,
    /// The documents themselves in rank order, with their keys, where they were wanted.
    pub documents: Strings,
    pub keys: Vec<f64>,
    pub first_lines: Vec<u64>,
    pub tied: Tally,
    pub single_ties: Tally,
    pub constant: Tally,
    pub itself: Tally,
    set: Numbered,
    order: Vec<u32>,
    place: Vec<u32>,
}

impl Ranked {
    /// Put a topic in order, find its named documents, and report its duplicates.
    pub fn add(&mut self, topic: &Topic, wanted: &Wanted<'_>, problems: &mut Problems) {
        let first_line = topic.lines.first().copied().unwrap_or(0);
        let matched = self.matches(topic, wanted, problems);
        let strict = self.look(topic, first_line);
        let row = Row {
            retrieved: topic.keys.len() as u32,
            found: self.found.len()..self.found.len() + matched.len(),
            ..Row::default()
        };
        self.topics.push(&topic.name);
        self.first_lines.push(first_line);
        self.rows.push(row);
        if strict && wanted.attribute.is_none() {
            let straight = |(document, line): (u32, u32)| {
                let rank = line + 1;
                Found { document, rank, tie_first: rank, tie_last: rank, above: 0.0 }
            };
            self.found.extend(matched.into_iter().map(straight));
            self.keep(topic, wanted, None);
        } else {
            self.sort(topic, wanted.ties);
            self.place(topic, wanted, matched);
            self.keep(topic, wanted, Some(()));
        }
    }

    /// Which lines hold named documents: (named document, line of the topic).
    fn matches(&mut self, topic: &Topic, wanted: &Wanted<'_>, problems: &mut Problems) -> Vec<(u32, u32)> {
        let named = wanted.names.and_then(|names| Some((names, names.of(names.topic(&topic.name)?))));
        let (before, start) = named.as_ref().map_or((0, 0), |(_, range)| (range.len(), range.start));
        self.set.reset(before + topic.keys.len());
        if let Some((names, range)) = &named {
            for (j, document) in range.clone().enumerate() {
                self.set.enter(names.documents.get(document), j as u32, |_| false);
            }
        }
        let mut at: Vec<Option<u32>> = vec![None; before];
        let mut matched = Vec::new();
        for (i, document) in topic.documents.iter().enumerate() {
            let equal = |j: u32| match (j as usize).checked_sub(before) {
                None => named
                    .as_ref()
                    .is_some_and(|(names, range)| names.documents.get(range.start + j as usize) == document),
                Some(line) => topic.documents.get(line) == document,
            };
            let Some(j) = self.set.enter(document, (before + i) as u32, equal) else {
                continue;
            };
            let earlier = match (j as usize).checked_sub(before) {
                Some(line) => Some(line as u32),
                None => at[j as usize],
            };
            if let Some(earlier) = earlier {
                let (name, first) = (shown(&topic.name), topic.lines[earlier as usize]);
                let message =
                    || format!("document {} stands twice in topic {name} (first on line {first})", shown(document));
                problems.add("E-DUPDOC", topic.lines[i], message, "keep one line for each document of a topic");
            } else {
                at[j as usize] = Some(i as u32);
                matched.push((start as u32 + j, i as u32));
            }
        }
        matched
    }

    /// Whether every key is below the one before it, noting on the way what a reader should know.
    fn look(&mut self, topic: &Topic, line: u64) -> bool {
        let mut strict = true;
        let mut near = 0u64;
        for pair in topic.keys.windows(2) {
            strict &= pair[1] < pair[0];
            near += u64::from(pair[1] as f32 == pair[0] as f32 && pair[1] != pair[0]);
        }
        if near > 0 {
            self.single_ties.see(line, || shown(&topic.name));
            self.single_ties.count += near - 1;
        }
        if topic.keys.len() > 1 && topic.keys.iter().all(|k| *k == topic.keys[0]) {
            self.constant.see(line, || shown(&topic.name));
        }
        if topic.documents.iter().any(|d| d == topic.name) {
            self.itself.see(line, || shown(&topic.name));
        }
        strict
    }

    fn sort(&mut self, topic: &Topic, ties: Ties) {
        self.order.clear();
        self.order.extend(0..topic.keys.len() as u32);
        let (keys, documents) = (&topic.keys, &topic.documents);
        let by_key = |a: u32, b: u32| {
            // Keys are finite, and minus zero equals zero.
            keys[b as usize].partial_cmp(&keys[a as usize]).unwrap_or(std::cmp::Ordering::Equal)
        };
        let by_document = |a: u32, b: u32| documents.get(a as usize).cmp(documents.get(b as usize));
        match ties {
            Ties::Trec => self.order.sort_unstable_by(|&a, &b| by_key(a, b).then_with(|| by_document(b, a))),
            Ties::DocnoAsc => self.order.sort_unstable_by(|&a, &b| by_key(a, b).then_with(|| by_document(a, b))),
            Ties::Input | Ties::Rank => self.order.sort_by(|&a, &b| by_key(a, b)),
        }
    }

    /// Ranks, ties and sums of the named documents, from the order.
    fn place(&mut self, topic: &Topic, wanted: &Wanted<'_>, matched: Vec<(u32, u32)>) {
        let order = &self.order;
        self.place.clear();
        self.place.resize(order.len(), 0);
        for (i, line) in order.iter().enumerate() {
            self.place[*line as usize] = i as u32;
        }
        let key = |i: usize| topic.keys[order[i] as usize];
        // The last place of the group that starts at each first place; firsts of all places.
        let (mut first, mut last) = (vec![0u32; order.len()], vec![0u32; order.len()]);
        let mut start = 0;
        let mut tied = 0;
        while start < order.len() {
            let mut end = start + 1;
            while end < order.len() && key(end) == key(start) {
                end += 1;
            }
            first[start..end].fill(start as u32);
            last[start..end].fill(end as u32 - 1);
            if end - start > 1 {
                tied += (end - start) as u32;
            }
            start = end;
        }
        if tied > 0 {
            self.tied.see(topic.lines[0], || shown(&topic.name));
            self.tied.count += u64::from(tied) - 1;
        }
        if let Some(row) = self.rows.last_mut() {
            row.tied = tied;
        }
        let sums = wanted.attribute.map(|attribute| {
            let mut sum = 0.0;
            let step = |line: &u32| {
                let above = sum;
                sum += attribute.values.get(topic.documents.get(*line as usize)).copied().unwrap_or(attribute.default);
                above
            };
            order.iter().map(step).collect::<Vec<f64>>()
        });
        let at = self.found.len();
        for (document, line) in matched {
            let i = self.place[line as usize] as usize;
            let above = sums.as_ref().map_or(0.0, |s| s[i]);
            self.found.push(Found {
                document,
                rank: i as u32 + 1,
                tie_first: first[i] + 1,
                tie_last: last[i] + 1,
                above,
            });
        }
        self.found[at..].sort_unstable_by_key(|f| f.rank);
    }

    fn keep(&mut self, topic: &Topic, wanted: &Wanted<'_>, sorted: Option<()>) {
        let start = self.documents.len();
        let depth = wanted.depth.map_or(0, |d| topic.keys.len().min(d as usize));
        for i in 0..depth {
            let line = sorted.map_or(i, |()| self.order[i] as usize);
            self.documents.push(topic.documents.get(line));
            self.keys.push(topic.keys[line]);
        }
        if let Some(row) = self.rows.last_mut() {
            row.kept = start..self.documents.len();
        }
    }

    /// Take over the rankings of a later part of the file, its lines counted on from `lines`.
    pub fn append(&mut self, later: Ranked, lines: u64) {
        let (found, kept) = (self.found.len(), self.documents.len());
        self.topics.append(&later.topics);
        self.rows.extend(later.rows.into_iter().map(|row| Row {
            found: row.found.start + found..row.found.end + found,
            kept: row.kept.start + kept..row.kept.end + kept,
            ..row
        }));
        self.first_lines.extend(later.first_lines.iter().map(|l| l + lines));
        self.found.extend(later.found);
        self.documents.append(&later.documents);
        self.keys.extend(later.keys);
        self.tied.append(later.tied, lines);
        self.single_ties.append(later.single_ties, lines);
        self.constant.append(later.constant, lines);
        self.itself.append(later.itself, lines);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topic(lines: &[(&str, f64)]) -> Topic {
        let mut topic = Topic { name: b"7".to_vec(), ..Topic::default() };
        for (i, (document, key)) in lines.iter().enumerate() {
            topic.push(document.as_bytes(), *key, i as u64 + 1);
        }
        topic
    }

    fn names(documents: &[&str]) -> Names {
        let documents: Strings = documents.iter().map(|d| d.as_bytes()).collect();
        Names::join(&[([b"7".as_slice()].into_iter().collect(), vec![0; documents.len()], documents)]).0
    }

    fn ranks(lines: &[(&str, f64)], named: &[&str], ties: Ties) -> Vec<(u32, u32, u32, u32)> {
        let (mut ranked, mut problems) = (Ranked::default(), Problems::default());
        let names = names(named);
        ranked.add(&topic(lines), &Wanted { ties, names: Some(&names), ..Wanted::default() }, &mut problems);
        assert!(problems.kept().is_empty());
        ranked.found.iter().map(|f| (f.document, f.rank, f.tie_first, f.tie_last)).collect()
    }

    #[test]
    fn ties_follow_the_asked_order() {
        let lines = [("b", 1.0), ("d", 2.0), ("a", 1.0), ("c", 1.0), ("e", 0.5)];
        let named = ["a", "b", "c", "e", "x"];
        assert_eq!(ranks(&lines, &named, Ties::Trec), [(2, 2, 2, 4), (1, 3, 2, 4), (0, 4, 2, 4), (3, 5, 5, 5)]);
        assert_eq!(ranks(&lines, &named, Ties::DocnoAsc), [(0, 2, 2, 4), (1, 3, 2, 4), (2, 4, 2, 4), (3, 5, 5, 5)]);
        assert_eq!(ranks(&lines, &named, Ties::Input), [(1, 2, 2, 4), (0, 3, 2, 4), (2, 4, 2, 4), (3, 5, 5, 5)]);
    }

    #[test]
    fn a_file_in_order_needs_no_sorting_and_comes_out_the_same() {
        let lines = [("c", 3.0), ("b", 2.0), ("a", 1.0)];
        assert_eq!(ranks(&lines, &["a", "c"], Ties::Trec), [(1, 1, 1, 1), (0, 3, 3, 3)]);
        let turned = [("a", 1.0), ("b", 2.0), ("c", 3.0)];
        assert_eq!(ranks(&turned, &["a", "c"], Ties::Trec), [(1, 1, 1, 1), (0, 3, 3, 3)]);
    }

    #[test]
    fn minus_zero_ties_with_zero() {
        assert_eq!(ranks(&[("a", 0.0), ("b", -0.0)], &["a"], Ties::Trec), [(0, 2, 1, 2)]);
    }

    #[test]
    fn duplicates_are_found_among_named_and_other_documents() {
        let (mut ranked, mut problems) = (Ranked::default(), Problems::default());
        let names = names(&["a"]);
        let lines = [("a", 4.0), ("b", 3.0), ("a", 2.0), ("b", 1.0)];
        ranked.add(&topic(&lines), &Wanted { names: Some(&names), ..Wanted::default() }, &mut problems);
        let found: Vec<_> = problems.kept().iter().map(|p| (p.code, p.line, p.message.as_str())).collect();
        assert_eq!(
            found,
            [
                ("E-DUPDOC", 3, "document a stands twice in topic 7 (first on line 1)"),
                ("E-DUPDOC", 4, "document b stands twice in topic 7 (first on line 2)"),
            ]
        );
    }

    #[test]
    fn sums_run_over_everything_above() {
        let (mut ranked, mut problems) = (Ranked::default(), Problems::default());
        let names = names(&["a", "c"]);
        let attribute = Attribute { values: HashMap::from([(b"b".as_slice().into(), 10.0)]), default: 1.0 };
        let wanted = Wanted { names: Some(&names), attribute: Some(&attribute), depth: Some(2), ..Wanted::default() };
        ranked.add(&topic(&[("c", 3.0), ("b", 2.0), ("a", 1.0)]), &wanted, &mut problems);
        let sums: Vec<_> = ranked.found.iter().map(|f| (f.document, f.above)).collect();
        assert_eq!(sums, [(1, 0.0), (0, 11.0)]);
        assert_eq!(ranked.documents.iter().collect::<Vec<_>>(), [b"c", b"b"]);
    }
}
