"""Compare the ids of a run with those of the judgments, and guess why they do not match."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from itertools import islice

from cranfield.data.files.input_problems import Problem

TOP = 10  # documents of each topic that are compared
FEW = 0.01  # below this proportion of judged documents ids are taken not to match
HALF = 0.5  # below this proportion, in topics with enough judgments, ids are compared in other forms
MAX_EXAMPLES = 3  # ids of a run and of the judgments that a warning names
MATCHED = 0.1  # proportion of ids that must match in a form, and do not match without it, before it is reported
MAX_TOPICS = 200  # whose ids are compared for a guess
PART_TOPICS = 10  # with most unjudged documents, whose ids are compared where some ids match
AFFIX_TOPICS, AFFIX_IDS = 20, 300  # topics, and ids of each, in which a prefix or a suffix is searched

Ids = Mapping[str, Set[str]]  # the ids of each topic
Form = Callable[[str], str]

FORMS: dict[str, Form] = {
    "letter case is ignored": str.casefold,
    "white space around them is removed": str.strip,
    "leading zeros are removed": lambda text: re.sub(r"(?<!\d)0+(?=\d)", "", text),
    "a final .0 is removed": lambda text: re.sub(r"(?<=\d)\.0+$", "", text),
    "they have one Unicode form (NFKC) and no invisible characters": lambda text: _visible(text),
}


def _visible(text: str) -> str:
    """Return a text in one form of Unicode, without characters that have no width."""
    if text.isascii():
        return text.strip()
    return "".join(c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) != "Cf").strip()


def is_mismatch(judged: int, possible: int) -> bool:
    """Return whether so few of the documents that could be judged are that the ids are likely to differ."""
    return possible > 0 and judged < FEW * possible


def is_suspect(judged: int, possible: int) -> bool:
    """Return whether few documents are judged, of topics with at least ``TOP`` judgments: some ids may differ."""
    return judged < HALF * possible


def report_mismatch(
    file: str, matches: int, total: int, retrieved: Mapping[str, Sequence[str]], judged: Ids
) -> Problem:
    """Return the warning about a run of which only ``matches`` of the ``total`` first documents are judged.

    ``retrieved`` are the first documents of topics in rank order, ``judged`` the judged documents of topics. Examples
    are of the first topic in alphabetical order that has both, so that they are the same for every source.
    """
    shared = {topic: set(retrieved[topic]) for topic in sorted(retrieved) if retrieved[topic] and topic in judged}
    if not shared:  # the run came through a pipe and cannot be read again
        hint = "do the run and the judgments write ids in the same way?"
        return Problem(file, 0, "W-IDS", _count_judged(matches, total), hint)
    return _report(file, matches, total, retrieved, judged, next(iter(shared)), explain(shared, judged))


def report_partial_mismatch(
    file: str, matches: int, total: int, retrieved: Mapping[str, Sequence[str]], judged: Ids
) -> Problem | None:
    """Return a warning if more ids match in another form, although some match as they are.

    A run of which few documents are judged may simply be unlike the runs of the pool. Arguments are those of
    :func:`report_mismatch`. Examples are documents without a judgment, of the topic that has most of them.
    """
    shared = [topic for topic in sorted(retrieved) if topic in judged]
    unjudged = {topic: [one for one in retrieved[topic] if one not in judged[topic]] for topic in shared}
    topics = sorted(shared, key=lambda topic: -len(unjudged[topic]))[:PART_TOPICS]
    change = matching_change({topic: set(retrieved[topic]) for topic in topics}, judged)
    return None if change is None else _report(file, matches, total, unjudged, judged, topics[0], change)


def _count_judged(matches: int, total: int) -> str:
    return f"of the first {TOP} documents of each topic, {matches:,} of {total:,} are judged"


def _report(
    file: str, matches: int, total: int, retrieved: Mapping[str, Sequence[str]], judged: Ids, topic: str, why: str
) -> Problem:
    own, theirs = ", ".join(retrieved[topic][:MAX_EXAMPLES]), ", ".join(sorted(judged[topic])[:MAX_EXAMPLES])
    hint = f"the run has documents such as {own}, the judgments {theirs}: {why}"
    return Problem(file, 0, "W-IDS", _count_judged(matches, total), hint)


def explain_topics(own: Sequence[str], theirs: Sequence[str]) -> str:
    """Return why the topics of a run are none of the judgments, as far as their ids show it."""
    return explain({"": set(own)}, {"": set(theirs)})


def explain(own: Ids, theirs: Ids) -> str:
    """Return the change after which most ids match, or a question where there is none."""
    return matching_change(own, theirs) or "do they belong together?"


def matching_change(own: Ids, theirs: Ids) -> str | None:
    """Return the change of ids after which many more of them match; nothing where there is none."""
    topics = list(islice((topic for topic in own if topic in theirs), MAX_TOPICS))
    mine, others = [own[topic] for topic in topics], [theirs[topic] for topic in topics]
    total = sum(min(len(a), len(b)) for a, b in zip(mine, others, strict=True))
    enough = _count(mine, others, str, str) + max(1, MATCHED * total)
    every = _count(mine, others, _all_forms, _all_forms)
    guesses = {what: (form, form) for what, form in FORMS.items()} if every >= enough else {}
    guesses |= _affixes(mine, others)
    counts = {what: _count(mine, others, *forms) for what, forms in guesses.items()}
    best = max(counts, key=counts.__getitem__, default="")
    if best and counts[best] >= enough:
        return f"ids match when {best} ({counts[best]} of {total})"
    if every < enough:
        return None
    what = "letter case, white space, leading zeros, a final .0 and Unicode forms"
    return f"ids match when {what} are ignored ({every} of {total})"


def _all_forms(text: str) -> str:
    for form in (str.strip, *FORMS.values()):
        text = form(text)
    return text


def _count(mine: Sequence[Set[str]], others: Sequence[Set[str]], own: Form, their: Form) -> int:
    """Return how many ids match in the forms given."""
    return sum(len({own(a) for a in ids} & {their(b) for b in known}) for ids, known in zip(mine, others, strict=True))


def _affixes(mine: Sequence[Set[str]], others: Sequence[Set[str]]) -> dict[str, tuple[Form, Form]]:
    """Return the prefix or suffix in which most ids differ, on either side; never a part of a number."""
    guesses: dict[str, tuple[Form, Form]] = {}
    for whose, longer, shorter in (("run", mine, others), ("judgments", others, mine)):
        counts = Counter[tuple[str, str]]()
        for ids, known in islice(zip(longer, shorter, strict=True), AFFIX_TOPICS):
            for text in islice(sorted(ids), AFFIX_IDS):
                cuts = [cut for cut in range(1, len(text)) if not text[cut - 1 : cut + 1].isdigit()]
                counts.update(("prefix", text[:cut]) for cut in cuts if text[cut:] in known)
                counts.update(("suffix", text[cut:]) for cut in cuts if text[:cut] in known)
        for (kind, affix), _ in counts.most_common(1):
            without = _remover(kind, affix)
            forms = (without, str) if whose == "run" else (str, without)
            guesses[f'the {kind} "{affix}" of the {whose} is removed'] = forms
    return guesses


def _remover(kind: str, affix: str) -> Form:
    return lambda text: text.removeprefix(affix) if kind == "prefix" else text.removesuffix(affix)
