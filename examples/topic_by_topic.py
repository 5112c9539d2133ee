"""The AP of two runs in every topic, as a picture.

python examples/topic_by_topic.py topic_by_topic.svg
"""

import sys
import tempfile
from pathlib import Path

import altair as alt
import polars as pl

import cranfield as cf
from cranfield.simulate import Campaign

A, B = "cedar-2", "harbor-1"


def draw(values: cf.Values) -> alt.Chart | alt.LayerChart:
    """A line per topic from one run to the other; topics in the order of their difference."""
    a, b = values.matrix("AP").T
    frame = pl.DataFrame({"topic": values.topics, A: a, B: b}).sort(pl.col(B) - pl.col(A))
    topics = frame["topic"].to_list()
    x = alt.X("topic:N", sort=topics, axis=alt.Axis(labelFontSize=8))
    links = alt.Chart(frame.to_pandas()).mark_rule(color="#bbb").encode(x=x, y=alt.Y(f"{A}:Q", title="AP"), y2=f"{B}:Q")
    long = frame.unpivot([A, B], index="topic", variable_name="run", value_name="AP")
    points = alt.Chart(long.to_pandas()).mark_point(filled=True, size=40, opacity=1)
    colour = alt.Color("run:N", scale=alt.Scale(domain=[A, B], range=["#c65102", "#0b559f"]))
    shape = alt.Shape("run:N", scale=alt.Scale(domain=[A, B], range=["circle", "diamond"]))
    return (links + points.encode(x=x, y="AP:Q", color=colour, shape=shape)).properties(width=760, height=260)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("topic_by_topic.svg")
    with tempfile.TemporaryDirectory() as folder:
        written = Campaign().write(folder)
        chosen = [path for path in written.runs if path.stem in (A, B)]
        values = cf.evaluate(written.qrels, chosen, "AP")
    draw(values).save(target)
    a, b = values.matrix("AP").T
    print(f"{target}: {B} is ahead in {(b > a).sum()} topics, {A} in {(a > b).sum()}")
