"""Names of groups, descriptions of runs and topic texts for simulated campaigns."""

import numpy as np

# fmt: off
GROUPS = (
    "aurora basalt cedar delta ember fjord garnet harbor indigo juniper kestrel lagoon meadow nimbus onyx pampas "
    "quartz raven saffron tundra umber vesper willow xenon yarrow zephyr alder birch cobalt dune estuary falcon "
    "glacier heron islet jasper krill lichen maple nectar osprey pebble reef sable thistle"
).split()
APPROACHES = ("BM25", "language model", "learned sparse vectors", "dense vectors", "late interaction", "two stages")
VARIANTS = ("plain", "tuned", "with feedback", "with query expansion", "reranked", "fused with an earlier run")

_ASPECTS = ("effects", "causes", "history", "cost", "regulation", "safety", "future", "detection", "price", "benefits")
_QUALITIES = ("coastal", "rural", "industrial", "ancient", "renewable", "public", "marine", "digital", "urban", "polar")
_THINGS = ("erosion", "railways", "fisheries", "libraries", "vaccines", "migration", "mining", "bridges", "farming",
           "elections", "glaciers", "shipping", "antibiotics", "tourism", "wildfires")
# fmt: on


def name_group(number: int) -> str:
    """A group's name; past the end of the list the names come again with a number."""
    again, place = divmod(number, len(GROUPS))
    return GROUPS[place] + (str(again + 1) if again else "")


def describe_run(group: int, number: int) -> str:
    """What a group would say about its run ``number`` (from 1)."""
    return f"{APPROACHES[group % len(APPROACHES)]}, {VARIANTS[(number - 1) % len(VARIANTS)]}"


def ask(stream: np.random.Generator) -> str:
    """A short query such as ``effects of coastal erosion``."""
    aspect, quality, thing = (int(stream.integers(len(words))) for words in (_ASPECTS, _QUALITIES, _THINGS))
    return f"{_ASPECTS[aspect]} of {_QUALITIES[quality]} {_THINGS[thing]}"
