//! The named documents that a run retrieved, column by column: a campaign has millions of them.

use std::ops::Range;

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    pub document: u32,
    pub rank: u32,
    pub tie_first: u32,
    pub tie_last: u32,
    /// Sum of the attribute over all documents ranked above.
    pub above: f64,
}

/// Whole numbers have a sign here because they have one in Python; none is larger than `MOST`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    pub document: Vec<i32>,
    pub rank: Vec<i32>,
    /// First and last rank of the documents with the same key. Empty where all are the rank: most runs have no ties.
    pub tie_first: Vec<i32>,
    pub tie_last: Vec<i32>,
    /// Empty where no attribute is summed up.
    pub above: Vec<f64>,
}

impl Found {
    pub fn len(&self) -> usize {
        self.rank.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rank.is_empty()
    }

    /// A document whose key no other has, where nothing is summed up.
    #[inline]
    pub fn push_plain(&mut self, document: u32, rank: u32) {
        self.document.push(document as i32);
        self.rank.push(rank as i32);
        if !self.tie_first.is_empty() {
            self.tie_first.push(rank as i32);
            self.tie_last.push(rank as i32);
        }
    }

    pub fn push(&mut self, entry: Entry, summed: bool) {
        if entry.tie_first != entry.tie_last {
            self.tell_ties();
        }
        self.document.push(entry.document as i32);
        self.rank.push(entry.rank as i32);
        if !self.tie_first.is_empty() || entry.tie_first != entry.tie_last {
            self.tie_first.push(entry.tie_first as i32);
            self.tie_last.push(entry.tie_last as i32);
        }
        if summed {
            self.above.push(entry.above);
        }
    }

    /// From here on ties are told.
    fn tell_ties(&mut self) {
        if self.tie_first.is_empty() {
            self.tie_first = self.rank.clone();
            self.tie_last = self.rank.clone();
        }
    }

    pub fn append(&mut self, mut later: Found) {
        if !self.tie_first.is_empty() || !later.tie_first.is_empty() {
            self.tell_ties();
            later.tell_ties();
        }
        self.document.append(&mut later.document);
        self.rank.append(&mut later.rank);
        self.tie_first.append(&mut later.tie_first);
        self.tie_last.append(&mut later.tie_last);
        self.above.append(&mut later.above);
    }

    /// The same rows, other rows first.
    pub fn in_order(self, rows: &[Range<usize>]) -> Found {
        fn of<T: Copy>(column: Vec<T>, rows: &[Range<usize>]) -> Vec<T> {
            if column.is_empty() { column } else { rows.iter().flat_map(|row| &column[row.clone()]).copied().collect() }
        }
        let mut end = 0;
        let same = rows.iter().all(|row| row.start == std::mem::replace(&mut end, row.end));
        if same && end == self.len() {
            return self;
        }
        Found {
            document: of(self.document, rows),
            rank: of(self.rank, rows),
            tie_first: of(self.tie_first, rows),
            tie_last: of(self.tie_last, rows),
            above: of(self.above, rows),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = Entry> {
        (0..self.len()).map(|i| {
            let or_rank = |ties: &[i32]| ties.get(i).unwrap_or(&self.rank[i]).cast_unsigned();
            Entry {
                document: self.document[i].cast_unsigned(),
                rank: self.rank[i].cast_unsigned(),
                tie_first: or_rank(&self.tie_first),
                tie_last: or_rank(&self.tie_last),
                above: self.above.get(i).copied().unwrap_or(0.0),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(document: u32, rank: u32, tie_last: u32) -> Entry {
        Entry { document, rank, tie_first: rank, tie_last, above: 0.0 }
    }

    #[test]
    fn ties_are_told_from_the_first_on() {
        let (mut a, mut b) = (Found::default(), Found::default());
        a.push_plain(4, 1);
        assert!(a.tie_first.is_empty());
        b.push(entry(5, 1, 2), false);
        b.push_plain(6, 3);
        let all = [entry(4, 1, 1), entry(5, 1, 2), entry(6, 3, 3)];
        let mut both = a.clone();
        both.append(b.clone());
        assert_eq!(both.iter().collect::<Vec<_>>(), all);
        both = b;
        both.append(a);
        assert_eq!(both.iter().collect::<Vec<_>>(), [all[1], all[2], all[0]]);
        assert_eq!(both.in_order(&[2..3, 0..2]).iter().collect::<Vec<_>>(), all);
    }

    #[test]
    fn rows_may_be_left_out() {
        let mut found = Found::default();
        (0..4).for_each(|i| found.push_plain(i, i + 1));
        assert_eq!(found.clone().in_order(&[0..1, 1..4]), found);
        assert_eq!(found.in_order(&[1..2, 3..4]).document, [1, 3]);
    }
}
