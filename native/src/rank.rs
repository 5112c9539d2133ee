//! One topic of one run: its lines, put in order and matched.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crate::checks::{are_ranks, are_scores, is_comparable};
use crate::found::{Entry, Found};
use crate::names::Names;
use crate::numbered::{MOST, Numbered};
use crate::problem::{Problems, Tally, shown};
use crate::source::Stop;
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
#[derive(Clone, Default)]
pub struct Wanted {
    pub ties: Ties,
    /// Do as trec_eval 9 does: compare scores as float32, look away from what stands after the sixth column.
    pub trec_eval_9: bool,
    /// Read a line of more than six columns, as every version of trec_eval does.
    pub extra_columns: bool,
    /// Leave out a document that has the id of its topic.
    pub without_self: bool,
    /// Match against these documents.
    pub names: Option<Arc<Names>>,
    pub attribute: Option<Arc<Attribute>>,
    /// Keep the documents themselves, down to this rank.
    pub depth: Option<u32>,
}

impl Wanted {
    /// Whether the same is wanted, whatever is to be matched.
    pub fn is_but_for_names(&self, other: &Wanted) -> bool {
        self.ties == other.ties
            && self.trec_eval_9 == other.trec_eval_9
            && self.extra_columns == other.extra_columns
            && self.without_self == other.without_self
            && self.attribute.is_none()
            && other.attribute.is_none()
            && self.depth == other.depth
    }
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

    /// The same lines but those of the document that has the id of the topic; nothing if there is none.
    fn without_self(&self) -> Option<Topic> {
        self.documents.iter().any(|document| document == self.name).then(|| {
            let mut others = Topic { name: self.name.clone(), ..Topic::default() };
            for (i, document) in self.documents.iter().enumerate().filter(|(_, document)| *document != self.name) {
                others.push(document, self.keys[i], self.lines[i]);
            }
            others
        })
    }

    fn first_line(&self) -> u64 {
        self.lines.first().copied().unwrap_or(0)
    }

    pub fn clear(&mut self, name: &[u8]) {
        self.name.clear();
        self.name.extend_from_slice(name);
        self.documents.clear();
        self.keys.clear();
        self.lines.clear();
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Documents retrieved.
    pub retrieved: u32,
    /// Documents that share their key with another.
    pub tied: u32,
    /// Where its named documents end in `found`, and its own in `documents`: they start where those before end.
    pub found: usize,
    pub kept: usize,
}

/// Rankings of many topics, in order of appearance.
#[derive(Default)]
pub struct Ranked {
    pub topics: Strings,
    pub rows: Vec<Row>,
    pub found: Found,
    /// The documents themselves in rank order, with their keys, where they were wanted.
    pub documents: Strings,
    pub keys: Vec<f64>,
    pub tied: Tally,
    pub single_ties: Tally,
    pub constant: Tally,
    /// Topics whose scores look like ranks.
    pub inverted: Tally,
    /// Topics whose ranks look like scores, where keys are ranks.
    pub sparse: Tally,
    /// How many topics are compared for that.
    pub comparable: u64,
    pub itself: Tally,
    set: Numbered,
    order: Vec<u32>,
    place: Vec<u32>,
}

impl Ranked {
    /// Put a topic in order, find its named documents, and report its duplicates.
    pub fn add(&mut self, topic: &Topic, wanted: &Wanted, problems: &mut Problems) -> Result<(), Stop> {
        let others = if wanted.without_self { topic.without_self() } else { None };
        let topic = others.as_ref().unwrap_or(topic);
        let matched = self.matches(topic, wanted, problems)?;
        let strict = self.look(topic, wanted);
        self.topics.push(&topic.name);
        let mut row = Row { retrieved: topic.keys.len() as u32, ..Row::default() };
        if strict && wanted.attribute.is_none() {
            matched.into_iter().for_each(|(document, line)| self.found.push_plain(document, line + 1));
            self.keep(topic, wanted, |_, i| i);
        } else {
            self.sort(topic, wanted.ties);
            row.tied = self.place(topic, wanted, matched);
            self.keep(topic, wanted, |order, i| order[i] as usize);
        }
        row.found = self.found.len();
        row.kept = self.documents.len();
        self.rows.push(row);
        Ok(())
    }

    /// Where the named documents stand that a topic of the run retrieved, in the order of the file.
    pub fn found_of(&self, row: usize) -> Range<usize> {
        row.checked_sub(1).map_or(0, |before| self.rows[before].found)..self.rows[row].found
    }

    /// Which lines hold named documents: (named document, line of the topic).
    fn matches(&mut self, topic: &Topic, wanted: &Wanted, problems: &mut Problems) -> Result<Vec<(u32, u32)>, Stop> {
        let known = Known::new(topic, wanted.names.as_deref());
        let (named, all) = (known.named.len(), known.named.len() + topic.keys.len());
        if all >= MOST {
            let message = format!("topic {} has more than {MOST} documents", shown(&topic.name));
            return Err(Stop::problem("E-LARGE", message, "cut the run to the depth you need"));
        }
        // Room for twice as many, while that is small: looking for a free place is most of the work, and then the first
        // is mostly free.
        self.set.reset(all + 1 + all.min(1 << 16));
        for j in 0..named {
            self.set.enter(self.set.hash(known.get(j as u32)), j as u32, |_| false);
        }
        // The first line of each named document.
        let mut at: Vec<Option<u32>> = vec![None; named];
        let mut matched = Vec::new();
        for (i, document) in topic.documents.iter().enumerate() {
            let hash = self.set.hash(document);
            let Some(j) = self.set.enter(hash, (named + i) as u32, |j| known.get(j) == document) else {
                continue;
            };
            match at.get_mut(j as usize) {
                None => duplicate(topic, j as usize - named, i, problems),
                Some(Some(first)) => duplicate(topic, *first as usize, i, problems),
                Some(first) => {
                    *first = Some(i as u32);
                    matched.push((known.named.start as u32 + j, i as u32));
                }
            }
        }
        let itself = self.set.enter(self.set.hash(&topic.name), all as u32, |j| known.get(j) == topic.name);
        if itself.is_some_and(|j| at.get(j as usize).is_none_or(Option::is_some)) {
            self.itself.see(topic.first_line(), || shown(&topic.name));
        }
        Ok(matched)
    }

    /// Whether every key is below the one before it, noting on the way what a reader should know.
    fn look(&mut self, topic: &Topic, wanted: &Wanted) -> bool {
        let (mut strict, mut constant, mut near) = (true, topic.keys.len() > 1, 0u64);
        for pair in topic.keys.windows(2) {
            strict &= pair[1] < pair[0];
            constant &= pair[1] == pair[0];
            near += u64::from(pair[1] as f32 == pair[0] as f32 && pair[1] != pair[0]);
        }
        if near > 0 && wanted.ties != Ties::Rank {
            self.single_ties.see(topic.first_line(), || shown(&topic.name));
            self.single_ties.count += near - 1;
        }
        if !strict && are_ranks(topic) {
            self.inverted.see(topic.first_line(), || shown(&topic.name));
        } else if are_scores(topic, strict) {
            self.sparse.see(topic.first_line(), || shown(&topic.name));
        }
        self.comparable += u64::from(is_comparable(topic));
        if constant {
            self.constant.see(topic.first_line(), || shown(&topic.name));
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

    /// Ranks, ties and sums of the named documents, from the order; how many documents are tied.
    fn place(&mut self, topic: &Topic, wanted: &Wanted, matched: Vec<(u32, u32)>) -> u32 {
        let (groups, tied) = self.groups(topic);
        if tied > 0 {
            self.tied.see(topic.first_line(), || shown(&topic.name));
            self.tied.count += u64::from(tied) - 1;
        }
        self.place.clear();
        self.place.resize(self.order.len(), 0);
        for (i, line) in self.order.iter().enumerate() {
            self.place[*line as usize] = i as u32;
        }
        let sums = wanted.attribute.as_deref().map(|attribute| self.sums(topic, attribute));
        let entry = |(document, line): (u32, u32)| {
            let i = self.place[line as usize] as usize;
            let (tie_first, tie_last) = groups[i];
            let above = sums.as_ref().map_or(0.0, |sums| sums[i]);
            Entry { document, rank: i as u32 + 1, tie_first, tie_last, above }
        };
        let mut entries: Vec<Entry> = matched.into_iter().map(entry).collect();
        entries.sort_unstable_by_key(|entry| entry.rank);
        entries.into_iter().for_each(|entry| self.found.push(entry, sums.is_some()));
        tied
    }

    /// First and last rank of the documents with the same key, for each place of the order; how many share theirs.
    fn groups(&self, topic: &Topic) -> (Vec<(u32, u32)>, u32) {
        let (mut groups, mut tied) = (Vec::with_capacity(self.order.len()), 0);
        for group in self.order.chunk_by(|a, b| topic.keys[*a as usize] == topic.keys[*b as usize]) {
            let (before, size) = (groups.len() as u32, group.len() as u32);
            groups.extend(group.iter().map(|_| (before + 1, before + size)));
            tied += if size > 1 { size } else { 0 };
        }
        (groups, tied)
    }

    /// For each place of the order, the sum of the attribute over all documents above.
    fn sums(&self, topic: &Topic, attribute: &Attribute) -> Vec<f64> {
        let mut sum = 0.0;
        let step = |line: &u32| {
            let above = sum;
            sum += attribute.values.get(topic.documents.get(*line as usize)).copied().unwrap_or(attribute.default);
            above
        };
        self.order.iter().map(step).collect()
    }

    /// Keep the documents themselves, where they are wanted; `line` says which line has a place in the order.
    fn keep(&mut self, topic: &Topic, wanted: &Wanted, line: impl Fn(&[u32], usize) -> usize) {
        for i in 0..wanted.depth.map_or(0, |depth| topic.keys.len().min(depth as usize)) {
            let line = line(&self.order, i);
            self.documents.push(topic.documents.get(line));
            self.keys.push(topic.keys[line]);
        }
    }

    /// Take over the rankings of a later part of the file, its lines counted on from `lines`. Its topics are here already.
    pub fn append(&mut self, later: Ranked, lines: u64) {
        let (found, kept) = (self.found.len(), self.documents.len());
        self.rows.extend(later.rows.into_iter().map(|row| Row {
            found: row.found + found,
            kept: row.kept + kept,
            ..row
        }));
        self.found.append(later.found);
        self.documents.append(&later.documents);
        self.keys.extend(later.keys);
        self.tied.append(later.tied, lines);
        self.single_ties.append(later.single_ties, lines);
        self.constant.append(later.constant, lines);
        self.inverted.append(later.inverted, lines);
        self.sparse.append(later.sparse, lines);
        self.comparable += later.comparable;
        self.itself.append(later.itself, lines);
    }
}

/// The documents that one topic is checked against: those named, then those of its lines.
struct Known<'a> {
    names: Option<&'a Names>,
    named: Range<usize>,
    topic: &'a Topic,
}

impl<'a> Known<'a> {
    fn new(topic: &'a Topic, names: Option<&'a Names>) -> Self {
        let named = names.and_then(|names| Some(names.of(names.topic(&topic.name)?)));
        Known { names, named: named.unwrap_or_default(), topic }
    }

    #[inline]
    fn get(&self, number: u32) -> &'a [u8] {
        let number = number as usize;
        match self.names {
            Some(names) if number < self.named.len() => names.documents.get(self.named.start + number),
            _ => self.topic.documents.get(number - self.named.len()),
        }
    }
}

fn duplicate(topic: &Topic, earlier: usize, line: usize, problems: &mut Problems) {
    let message = || {
        let document = topic.documents.get(line);
        format!("document {} stands twice in topic {}", shown(document), shown(&topic.name))
    };
    let lines = [topic.lines[earlier], topic.lines[line]];
    problems.repeats("E-DUPDOC", lines, message, "keep one line for each document of a topic");
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
        ranked
            .add(&topic(lines), &Wanted { ties, names: Some(Arc::new(names)), ..Wanted::default() }, &mut problems)
            .unwrap();
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
        ranked
            .add(&topic(&lines), &Wanted { names: Some(Arc::new(names)), ..Wanted::default() }, &mut problems)
            .unwrap();
        problems.finish();
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
    fn a_document_with_the_id_of_its_topic_is_left_out_where_that_is_asked() {
        let lines = topic(&[("7", 3.0), ("b", 2.0), ("a", 1.0)]);
        for (without_self, expected) in [(true, vec![(0, 2)]), (false, vec![(1, 1), (0, 3)])] {
            let (mut ranked, mut problems) = (Ranked::default(), Problems::default());
            let wanted = Wanted { without_self, names: Some(Arc::new(names(&["a", "7"]))), ..Wanted::default() };
            ranked.add(&lines, &wanted, &mut problems).unwrap();
            assert_eq!(ranked.found.iter().map(|f| (f.document, f.rank)).collect::<Vec<_>>(), expected);
            assert_eq!(ranked.rows[0].retrieved, if without_self { 2 } else { 3 });
        }
    }

    #[test]
    fn sums_run_over_everything_above() {
        let (mut ranked, mut problems) = (Ranked::default(), Problems::default());
        let names = names(&["a", "c"]);
        let attribute = Attribute { values: HashMap::from([(b"b".as_slice().into(), 10.0)]), default: 1.0 };
        let wanted = Wanted {
            names: Some(Arc::new(names)),
            attribute: Some(Arc::new(attribute)),
            depth: Some(2),
            ..Wanted::default()
        };
        ranked.add(&topic(&[("c", 3.0), ("b", 2.0), ("a", 1.0)]), &wanted, &mut problems).unwrap();
        let sums: Vec<_> = ranked.found.iter().map(|f| (f.document, f.above)).collect();
        assert_eq!(sums, [(1, 0.0), (0, 11.0)]);
        assert_eq!(ranked.documents.iter().collect::<Vec<_>>(), [b"c", b"b"]);
    }
}
