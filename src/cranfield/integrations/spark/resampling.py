"""Bootstrap and randomisation tests with draws distributed over Spark workers."""

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from cranfield.core import Study
from cranfield.data import spark_session
from cranfield.stats import Bootstrap, Randomisation
from cranfield.studies import test

from .spark_tables import LOCAL, check_partitions, told

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class Blocks:
    """Where blocks of draws are made: on the workers of Spark, in so many partitions."""

    session: Any
    partitions: int | None = None

    def __call__(self, work: Callable[[int], Any], blocks: int) -> list[Any]:
        """What the work makes of every block, in their order."""

        def make(batches: Iterable["pa.RecordBatch"]) -> Iterator["pa.RecordBatch"]:
            import pyarrow as pa

            for batch in batches:
                for block in batch["id"].to_pylist():
                    yield pa.RecordBatch.from_pydict({"block": [block], "made": [pickle.dumps(work(block))]})

        with told("draws"):
            found = (
                self.session.range(0, blocks, 1, self.partitions)
                .mapInArrow(make, "block bigint, made binary")
                .toArrow()
            )
        made = dict(zip(found["block"].to_pylist(), found["made"].to_pylist(), strict=True))
        return [pickle.loads(made[block]) for block in range(blocks)]


def bootstrap(
    values: Any,
    *,
    kind: Literal["shift", "studentised"] = "shift",
    draws: int = 10_000,
    engine: Any = None,
    partitions: int | None = None,
    **options: Any,
) -> Study:
    """The bootstrap test of pairs with draws made on Spark: what ``cranfield.test(values, "bootstrap")`` says.

    ``options`` are those of :func:`cranfield.test`: pairs, baseline, correct, alternative, level, seed and others. The
    answer does not depend on the number of partitions or machines. Sums of all draws come back: with a million draws
    of 40 runs these are 320 MB.
    """
    return _tested(values, Bootstrap(kind=kind, draws=draws), engine, partitions, options)


def randomisation(
    values: Any, *, draws: int = 10_000, engine: Any = None, partitions: int | None = None, **options: Any
) -> Study:
    """Fisher's randomisation test of pairs with draws made on Spark: what one machine says of the same seed.

    ``options`` are those of :func:`cranfield.test`. Where all flips can be counted nothing is drawn, and it is done
    here, as :func:`cranfield.test` does; counts alone come back otherwise.
    """
    return _tested(values, Randomisation(draws=draws), engine, partitions, options)


def _tested(values: Any, asked: Any, engine: Any, partitions: int | None, options: dict[str, Any]) -> Study:
    check_partitions(partitions)
    session = spark_session(LOCAL if engine is None else engine)
    return test(values, asked, elsewhere=Blocks(session, partitions), **options)
