"""Query engines for logs: DuckDB in this process, or Spark, with the same expressions."""

import os
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cranfield.core import CranfieldError, InputError, ParameterError, need

from .engine_errors import fault_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from ibis.backends import BaseBackend
    from ibis.expr.types import Table as Expression

HINT = "engines: duckdb, spark://HOST:PORT, local[2], sc://HOST:PORT, or a Spark session"
MASTERS = ("spark://", "local", "yarn", "k8s://")
PORTS = {"spark": "7077", "sc": "15002"}  # where nobody names one
SECONDS = 5  # that a machine may take to answer


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Engine:
    """A place where tables are, and what asks them; ``session`` is that of Spark, None: it is DuckDB."""

    backend: "BaseBackend"
    session: Any = None

    def __repr__(self) -> str:
        return "DuckDB" if self.session is None else "Spark"

    def read(self, paths: list[str], kind: str, *, tabs: bool = False) -> "Expression":
        """Files of one kind (parquet, json, csv) as a table; every cell of CSV as text."""
        paths = paths if self.session is None else spark_paths(paths)
        if kind == "parquet":
            return self._parquet(paths)
        if kind == "json":
            return self.backend.read_json(paths if self.session is None else _all(paths))
        apart = "\t" if tabs else ","
        if self.session is None:
            # What is said here is not guessed from the first rows: a quote may come late.
            told = {"header": True, "delim": apart, "quote": '"', "escape": '"'}
            return self.backend.read_csv(paths, all_varchar=True, **told)
        return self.backend.read_csv(_all(paths), header=True, sep=apart, mode="FAILFAST", inferSchema=False)

    def _parquet(self, paths: list[str]) -> "Expression":
        if self.session is None:
            return self.backend.read_parquet(paths)
        import ibis

        name = ibis.util.gen_name("cranfield_files")  # Ibis takes one file alone on Spark
        self.session.read.parquet(*paths).createOrReplaceTempView(name)
        return self.backend.table(name)

    def zones(self, table: "Expression", names: Sequence[str]) -> dict[str, bool]:
        """Return whether the type of each column of times has a time zone; Ibis does not know it on Spark."""
        if self.session is not None:
            schema = self._frame(table.select(*names)).schema if names else ()
            return {field.name: field.dataType.typeName() == "timestamp" for field in schema}
        kinds: dict[str, Any] = {name: table[name].type() for name in names}
        return {name: kind.is_timestamp() and kind.timezone is not None for name, kind in kinds.items()}

    def hold(self, table: "pa.Table") -> "Expression":
        """Columns in memory as a table."""
        import ibis

        name = ibis.util.gen_name("cranfield_log")
        if self.session is None:
            return self.backend.create_table(name, table, temp=True)
        # Through a file: by way of pandas Spark would take what is missing for the word NaN.
        import pyarrow.parquet as pq

        with tempfile.TemporaryDirectory(prefix="cranfield-log-") as folder:
            pq.write_table(table, f"{folder}/log.parquet")
            self.session.read.parquet(f"{folder}/log.parquet").localCheckpoint().createOrReplaceTempView(name)
        return self.backend.table(name)

    def keep(self, expression: "Expression", *, repeatable: bool = False) -> "Expression":
        """Compute an expression once, and return its rows as a table; ``repeatable`` as in :meth:`fetch`."""
        import ibis

        name = ibis.util.gen_name("cranfield_kept")
        if self.session is None:
            with _told(), self._one_thread() if repeatable else nullcontext():
                return self.backend.create_table(name, expression, temp=True)
        self._frame(expression).cache().createOrReplaceTempView(name)
        return self.backend.table(name)

    def fetch(self, expression: "Expression", *, repeatable: bool = False) -> "pa.Table":
        """Return the columns of an expression.

        With ``repeatable`` DuckDB uses one thread. Several add floats in an order that differs from run to run, and
        so do the last digits of sums.
        """
        if self.session is None:
            with _told(), self._one_thread() if repeatable else nullcontext():
                return self.backend.to_pyarrow(expression)
        return self._frame(expression).toArrow()

    @contextmanager
    def _one_thread(self) -> "Iterator[None]":
        if self.backend.name != "duckdb":  # users may be a table of another engine
            yield
            return
        connection: Any = self.backend.con
        (threads,) = connection.sql("SELECT current_setting('threads')").fetchone()
        connection.execute("SET threads = 1")
        try:
            yield
        finally:
            connection.execute(f"SET threads = {threads}")

    def _frame(self, expression: "Expression") -> Any:
        return self.session.sql(self.backend.compile(expression))


@contextmanager
def _told() -> "Iterator[None]":
    """Rows that DuckDB cannot read are met when it counts them, not when the file is opened."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        if (fault := fault_of(error)) is None:
            raise
        raise fault from None


def fetch(expression: "Expression", *, repeatable: bool = False) -> "pa.Table":
    """What an expression comes to, on whatever engine its tables are."""
    backend = expression.get_backend()
    return Engine(backend, getattr(backend, "_session", None)).fetch(expression, repeatable=repeatable)


def spark_paths(paths: Iterable[str]) -> list[str]:
    """Files that are here by their whole names: a server of Spark's stands in another folder."""
    return [os.path.abspath(path) if glob(path) else path for path in paths]  # noqa: PTH100, PTH207


def _all(paths: list[str]) -> Any:
    """Files as Spark takes them: by one name, or several."""
    return paths[0] if len(paths) == 1 else paths


def connect(engine: Any = None, *, memory: str | None = None) -> Engine:
    """An engine by its name or address (duckdb, spark://host:port, local[2], sc://host:port), or of a Spark session.

    ``memory`` is how much DuckDB may use ("4GB"); what does not fit goes to the disk.
    """
    if isinstance(engine, Engine):
        return engine
    ibis = need("ibis", extra="logs")
    if engine is None or engine == "duckdb":
        need("duckdb", extra="logs")
        return Engine(_duckdb(ibis, memory))
    session = spark_session(engine)
    session.conf.set("spark.sql.session.timeZone", "UTC")
    return Engine(ibis.pyspark.connect(session), session)


def spark_session(engine: Any) -> Any:
    """The Spark session at an address (spark://host:port, local[2], sc://host:port), or the one that is given."""
    if isinstance(engine, str):
        if engine == "duckdb":  # which is asked about logs, before it gets here
            hint = "name one, such as spark://HOST:PORT or local[2]; without an engine it is done in this process"
            raise ParameterError("DuckDB is no address of Spark", hint=hint)
        if not engine.startswith((*MASTERS, "sc://")):
            raise ParameterError(f"there is no engine {engine!r}", hint=HINT)
        engine = _session(engine)
    if type(engine).__name__ != "SparkSession":
        raise ParameterError(f"an object of type {type(engine).__name__} is no engine", hint=HINT)
    return engine


def _duckdb(ibis: Any, memory: str | None) -> "BaseBackend":
    settings = {"temp_directory": str(Path(tempfile.gettempdir()) / "cranfield-duckdb")}
    if memory is not None:
        settings["memory_limit"] = memory
    try:
        return ibis.duckdb.connect(**settings)
    except Exception as error:
        if memory is None or "memory" not in str(error).lower():
            raise
        raise ParameterError(f"{memory!r} is no amount of memory", hint="for example: 4GB") from None


def _session(address: str) -> Any:
    """A Spark session of our own, whose workers run this very Python."""
    import sys

    need("pyspark", extra="spark")
    from pyspark.sql import SparkSession

    _reach(address)
    builder = SparkSession.builder.appName("cranfield")
    try:
        if address.startswith("sc://"):  # a server of Spark's, with settings of its own
            need("grpc", extra="spark")
            return builder.remote(address).getOrCreate()
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        session = builder.master(address).config("spark.ui.showConsoleProgress", "false").getOrCreate()
        _hush(session.sparkContext)
    except CranfieldError:
        raise
    except Exception as error:
        said = str(error).strip().partition("\n")[0]
        raise InputError(f"{address}: Spark does not answer: {said}", hint=HINT, code="E-ENGINE") from None
    return session


def _hush(context: Any) -> None:
    """What fails is said in two lines, not by Java; that nobody is there to work is heard, or one waits in vain."""
    context.setLogLevel("FATAL")
    logs = context._jvm.org.apache.logging.log4j
    logs.core.config.Configurator.setLevel("org.apache.spark.scheduler.TaskSchedulerImpl", logs.Level.WARN)


def _reach(address: str) -> None:
    """Refuse the address of a machine where nobody listens: Spark would try for a minute, and end in Java's words."""
    kind, _, rest = address.partition("://")
    if kind not in PORTS:
        return
    import socket

    said = "no machine is named"
    for place in filter(None, rest.partition("/")[0].partition(";")[0].split(",")):  # several masters may be named
        host, _, port = place.rpartition(":") if ":" in place else (place, "", PORTS[kind])
        try:
            socket.create_connection((host, int(port)), timeout=SECONDS).close()
        except (OSError, ValueError) as error:
            said = f"{place}: {error}"
        else:
            return
    raise InputError(f"{address}: Spark does not answer: {said}", hint=HINT, code="E-ENGINE")
