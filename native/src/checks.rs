//! Warnings about a whole run, the same for text and for tables.

use crate::problem::{Problems, Tally, shown};
use crate::rank::{Ranked, Topic};

/// A topic of fewer documents may have the scores 1 and 2 in this order by chance.
const LEAST_RANKS: usize = 3;
/// Scores that rise so often and never fall are in this order by chance once in 8! = 40,320 topics.
const LEAST_RISES: usize = 7;
/// In a topic of fewer documents, equal numbers may be a slip in the ranks.
const LEAST_GRADED: u32 = 5;
/// Ranks above this multiple of the number of documents leave out most numbers.
const SPARSE: f64 = 3.0;

/// What the rows of a run show before they are ranked.
#[derive(Clone, Debug, Default)]
pub struct Checks {
    /// Rows whose rank and score disagree about the order.
    pub rank_order: Tally,
    /// Whole numbers that float64 cannot hold exactly.
    pub rounded: Tally,
    /// Whether any row has a rank.
    pub has_ranks: bool,
}

/// Score and rank of an earlier row of the same topic.
pub type Earlier = Option<(f64, f64)>;

impl Checks {
    /// Compare the rank of a row with that of an earlier row of its topic.
    #[inline(always)]
    pub fn see_rank(&mut self, earlier: &mut Earlier, score: f64, rank: Option<f64>, line: u64, topic: &[u8]) {
        if let (Some(rank), Some((earlier_score, earlier_rank))) = (rank, *earlier)
            && ((score < earlier_score && rank <= earlier_rank) || (score > earlier_score && rank >= earlier_rank))
        {
            self.rank_order.see(line, || shown(topic));
        }
        self.has_ranks |= rank.is_some();
        *earlier = rank.map(|rank| (score, rank));
    }

    /// Take over what was seen in a later part of the file, its lines counted on from `lines`.
    pub fn append(&mut self, later: Checks, lines: u64) {
        self.rank_order.append(later.rank_order, lines);
        self.rounded.append(later.rounded, lines);
        self.has_ranks |= later.has_ranks;
    }

    /// Report each kind of warning about the scores once. Ranks that give the order cannot disagree with it.
    pub fn report_scores(&self, ranked: &Ranked, ranks_decide: bool, problems: &mut Problems) {
        let mut warn = |code, tally: &Tally, what: &str, hint| {
            if tally.count > 0 {
                let said = what.replacen("{}", &tally.count.to_string(), 1).replacen("{}", &tally.example, 1);
                problems.add(code, tally.line, || said, hint);
            }
        };
        if !ranks_decide {
            let what = "lines whose rank disagrees with the scores, which decide: {} (first in topic {})";
            warn("W-RANK", &self.rank_order, what, "to follow the rank column: --ties rank");
        }
        if !self.has_ranks && ranks_decide {
            let what = "topics whose ranks fall from row to row: {} (first {})";
            let hint = "rank 1 is the best: if the third column holds scores, write lines of six columns";
            warn("W-INVERTED", &ranked.inverted, what, hint);
            if ranked.sparse.count * 2 > ranked.comparable {
                let what =
                    "topics of numbers that look like scores, read as ranks (the smallest is the best): {} (first {})";
                warn("W-INVERTED", &ranked.sparse, what, "to rank by scores, write lines of six columns");
            }
        } else if !self.has_ranks {
            let what = "topics whose scores rise from row to row, or are 1, 2, 3, … in another order: {} (first {})";
            let hint = "the highest score is the best: call ranks rank, and write distances with a minus";
            warn("W-INVERTED", &ranked.inverted, what, hint);
        }
        let what = "scores that are whole numbers too large for float64, which rounds them: {} (first in topic {})";
        warn("W-PRECISION", &self.rounded, what, "rounded scores may tie: subtract a constant, or write ranks");
        let what = "{} documents share their score with another (first in topic {})";
        let hint = "ties are put in order by document id, descending; --ties (ties=) has other orders";
        warn("W-TIES", &ranked.tied, what, hint);
        let what = "topics in which all documents have the same score: {} (first {})";
        warn("W-CONSTANT", &ranked.constant, what, "if the rank column holds the order: --ties rank");
        let what = "neighbours that differ in float64 only: {} (first in topic {})";
        warn("W-FLOAT32", &ranked.single_ties, what, "trec_eval 9 ties them; so does --compat trec_eval-9");
        let what = "topics that retrieve a document with their own id: {} (first {})";
        warn("W-SELF", &ranked.itself, what, "was the topic taken from the collection?");
    }
}

/// Ids of a table, which may be empty or have white space around them; those of a text file cannot.
#[derive(Default)]
pub struct Ids {
    spaced: Tally,
}

impl Ids {
    /// Whether there is an id; an empty one is an error.
    #[inline]
    pub fn see(&mut self, id: &[u8], what: &str, line: u64, problems: &mut Problems) -> bool {
        match (id.first(), id.last()) {
            (Some(first), Some(last)) if *first > b' ' && *last > b' ' => true,
            _ if id.iter().all(|byte| *byte <= b' ') => {
                let message = || format!("the id of the {what} is empty");
                problems.add("E-NULL", line, message, "ids are text or whole numbers, one in every row");
                false
            }
            _ => {
                self.spaced.see(line, || shown(id));
                true
            }
        }
    }

    pub fn report(&self, problems: &mut Problems) {
        if self.spaced.count > 0 {
            let message = || {
                format!("ids with white space around them: {} (first \"{}\")", self.spaced.count, self.spaced.example)
            };
            problems.add("W-SPACE", self.spaced.line, message, "remove it: ids match only where every character does");
        }
    }
}

/// Whether the scores of a topic look like ranks or distances, of which the lowest is the best, as its rows stand:
/// 1, 2, 3, …, any scores that rise and never fall, or whole numbers from 1 (or 0) on without order.
pub fn are_ranks(topic: &Topic) -> bool {
    let keys = &topic.keys;
    if keys.len() < LEAST_RANKS {
        return false;
    }
    let (mut rises, mut falls, mut counts) = (0, 0, keys[0] == 1.0 || keys[0] == 0.0);
    for pair in keys.windows(2) {
        rises += usize::from(pair[1] > pair[0]);
        falls += usize::from(pair[1] < pair[0]);
        counts &= pair[1] == pair[0] + 1.0;
    }
    counts || (rises >= LEAST_RISES && (falls == 0 || are_whole_from_one(keys)))
}

/// Whether the ranks of a topic, which are its keys with a minus, look like scores as its rows stand: some are below 0,
/// or they are not sorted, start behind the number of documents and leave out most numbers. The ranks of a run that was
/// cut to some of its documents leave out numbers, too, but they are sorted or start among the first.
pub fn are_scores(topic: &Topic, sorted: bool) -> bool {
    let keys = &topic.keys;
    if !is_comparable(topic) {
        return false;
    }
    if sorted || keys[0] > 0.0 {
        return keys[0] > 0.0;
    }
    let (best, worst) = keys.iter().fold((f64::NEG_INFINITY, f64::INFINITY), |(best, worst), key| {
        (if *key > best { *key } else { best }, if *key < worst { *key } else { worst })
    });
    let documents = keys.len() as f64;
    best > 0.0 || (-best > documents && -worst > SPARSE * documents && keys.windows(2).any(|pair| pair[1] > pair[0]))
}

/// Whether a topic has enough documents to compare its ranks with their number.
pub fn is_comparable(topic: &Topic) -> bool {
    topic.keys.len() >= LEAST_RANKS
}

/// Report the ranks of a run of three columns if most of them are equal to another of their topic, as grades are.
/// Return whether they are.
pub fn report_grades(ranked: &Ranked, problems: &mut Problems) -> bool {
    let several = || ranked.rows.iter().filter(|row| row.retrieved > 1);
    let documents: u64 = several().map(|row| u64::from(row.retrieved)).sum();
    let tied = ranked.tied.count;
    if tied * 2 <= documents || several().all(|row| row.retrieved < LEAST_GRADED) {
        return false;
    }
    let message = || {
        format!(
            "this looks like qrels where a run is expected: {tied} of {documents} ranks are not unique in their topic"
        )
    };
    let hint = "the qrels come first, then the runs; to rank by scores, write lines of six columns";
    problems.add("E-SWAPPED", 0, message, hint);
    true
}

/// Whether scores are all the whole numbers from 1 (or 0) on, each once.
fn are_whole_from_one(keys: &[f64]) -> bool {
    let least = keys.iter().copied().fold(f64::INFINITY, f64::min);
    if least != 1.0 && least != 0.0 {
        return false;
    }
    let mut seen = vec![false; keys.len()];
    keys.iter().all(|key| {
        let place = (key - least) as usize;
        key.fract() == 0.0 && place < seen.len() && !std::mem::replace(&mut seen[place], true)
    })
}

/// Report topics that have fewer documents than others.
pub fn report_depth(ranked: &Ranked, problems: &mut Problems) {
    let rows = &ranked.rows;
    let deepest = rows.iter().map(|row| row.retrieved).max().unwrap_or(0);
    let short = rows.iter().filter(|row| row.retrieved < deepest).count();
    if let Some((i, least)) = rows.iter().enumerate().min_by_key(|(_, row)| row.retrieved)
        && short > 0
        && !problems.has_errors()
    {
        let (all, few, topic) = (rows.len(), least.retrieved, shown(ranked.topics.get(i)));
        let message =
            || format!("topics with fewer than {deepest} documents: {short} of {all} (topic {topic} has {few})");
        problems.add("W-SHORT", 0, message, "what is not retrieved counts as not found");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topic(keys: &[f64]) -> Topic {
        Topic { keys: keys.to_vec(), ..Topic::default() }
    }

    #[test]
    fn scores_that_count_up_from_the_first_row_are_ranks() {
        assert!(are_ranks(&topic(&[1.0, 2.0, 3.0])));
        assert!(are_ranks(&topic(&[0.0, 1.0, 2.0, 3.0])));
        for keys in [[3.0, 2.0, 1.0], [1.0, 2.0, 4.0], [2.0, 3.0, 4.0], [-1.0, -2.0, -3.0]] {
            assert!(!are_ranks(&topic(&keys)), "{keys:?}");
        }
        assert!(!are_ranks(&topic(&[1.0, 2.0])));
    }

    #[test]
    fn scores_of_many_rows_that_rise_are_ranks_or_distances() {
        assert!(are_ranks(&topic(&[10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0])));
        assert!(are_ranks(&topic(&[-9.5, -9.5, -8.0, -7.0, -6.0, -5.0, -4.0, -3.0, -1.25])));
        assert!(!are_ranks(&topic(&[10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0])), "one too few");
        assert!(!are_ranks(&topic(&[10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 79.0])), "one falls");
        assert!(!are_ranks(&topic(&[1.0; 20])));
    }

    #[test]
    fn whole_numbers_from_one_without_order_are_ranks() {
        let keys = [2.0, 1.0, 4.0, 3.0, 6.0, 5.0, 8.0, 7.0, 10.0, 9.0, 12.0, 11.0, 14.0, 13.0, 15.0, 16.0];
        assert!(are_ranks(&topic(&keys)));
        assert!(are_ranks(&topic(&keys.map(|key| key - 1.0))));
        assert!(!are_ranks(&topic(&keys.map(|key| key + 1.0))), "from 2");
        assert!(!are_ranks(&topic(&keys.map(|key| if key == 9.0 { 8.0 } else { key }))), "8 twice");
        assert!(!are_ranks(&topic(&keys.map(|key| if key == 9.0 { 8.5 } else { key }))));
        let mut descending = keys;
        descending.sort_by(|a, b| b.total_cmp(a));
        assert!(!are_ranks(&topic(&descending)), "the best comes first");
    }

    #[test]
    fn unsorted_ranks_behind_the_number_of_documents_look_like_scores() {
        let ranks = |ranks: &[f64]| topic(&ranks.iter().map(|rank| 0.0 - rank).collect::<Vec<_>>());
        let looks = |all: &[f64]| are_scores(&ranks(all), all.windows(2).all(|pair| pair[0] < pair[1]));
        for scores in [&[2500.0, 9100.0, 7300.0][..], &[4.0, 10.0, 5.0], &[-7.0, -3.0, -5.0], &[-2.0, -1.0, 4.0]] {
            assert!(looks(scores), "{scores:?}");
        }
        for good in [
            &[1.0, 2.0, 3.0][..],
            &[3.0, 1.0, 2.0],
            &[2500.0, 7300.0, 9100.0], // the ranks of a cut run, in order
            &[3.0, 900.0, 40.0],       // the first document is the third of the uncut run
            &[4.0, 9.0, 5.0],          // not above three times three
            &[9100.0, 2500.0],
        ] {
            assert!(!looks(good), "{good:?}");
        }
    }

    #[test]
    fn a_rank_that_contradicts_the_scores_is_counted() {
        for (rows, expected) in [
            (vec![(2.0, Some(1.0)), (1.0, Some(2.0))], 0),
            (vec![(1.0, Some(1.0)), (2.0, Some(2.0))], 1),
            (vec![(1.0, Some(1.0)), (1.0, Some(2.0))], 0),
            (vec![(1.0, Some(1.0)), (2.0, None), (3.0, Some(2.0))], 0),
        ] {
            let (mut checks, mut earlier) = (Checks::default(), None);
            rows.iter().for_each(|(score, rank)| checks.see_rank(&mut earlier, *score, *rank, 1, b"7"));
            assert_eq!(checks.rank_order.count, expected, "{rows:?}");
        }
    }
}
