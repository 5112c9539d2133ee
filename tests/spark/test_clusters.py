"""A cluster as a user would have one: a master, two workers and a server of Spark Connect, each its own process."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

import cranfield as cf
from tests.support.cli.server_process import free_port
from tests.support.simulations import search_logs

if TYPE_CHECKING:
    from collections.abc import Iterator

SECONDS = 120  # that a process may take to listen, or to answer
MASTER, WORKER = "org.apache.spark.deploy.master.Master", "org.apache.spark.deploy.worker.Worker"
SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"


@dataclass(frozen=True)
class Cluster:
    """Where its two doors are."""

    master: str
    server: str
    folder: Path  # its settings, and what its processes say

    def ask(self, folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
        """A command that ended well, in a folder of its own."""
        told = os.environ | {"SPARK_CONF_DIR": str(self.folder)}
        ended = subprocess.run(words, cwd=folder, env=told, capture_output=True, check=False, timeout=SECONDS)
        assert ended.returncode == 0, ended.stderr.decode()
        return ended


def wait_for(port: int, process: subprocess.Popen[bytes], said: Path) -> None:
    ends = time.monotonic() + SECONDS
    while time.monotonic() < ends and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    pytest.fail(f"nobody listens at port {port}:\n{said.read_text()[-2000:]}")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Both doors open; all processes end with the tests of this room."""
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    import pyspark

    home, folder = Path(pyspark.__file__).parent, tmp_path_factory.mktemp("cluster")
    (folder / "spark-defaults.conf").write_text("spark.sql.shuffle.partitions 2\nspark.executor.memory 512m\n")
    told = {"SPARK_HOME": str(home), "SPARK_CONF_DIR": str(folder), "PYSPARK_PYTHON": sys.executable}
    told["SPARK_LOCAL_IP"] = "127.0.0.1"
    running: list[subprocess.Popen[bytes]] = []

    def start(name: str, *words: str) -> tuple[subprocess.Popen[bytes], Path]:
        said = folder / f"{name}.log"
        with said.open("wb") as log:
            process = subprocess.Popen(
                [str(home / "bin" / words[0]), *words[1:]],
                cwd=folder,
                env=os.environ | told,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        running.append(process)
        return process, said

    try:
        of_master, of_server = free_port(), free_port()
        master = f"spark://127.0.0.1:{of_master}"
        where = ("--host", "127.0.0.1", "--webui-port", "0")
        wait_for(of_master, *start("master", "spark-class", MASTER, *where, "--port", str(of_master)))
        for name in ("one", "two"):
            size = ("--cores", "2", "--memory", "1g", "--work-dir", str(folder / name))
            start(name, "spark-class", WORKER, *where, *size, master)
        # A core and half the memory of each worker: the rest is for whoever comes by the other door.
        some = ("--conf", "spark.cores.max=2", "--conf", f"spark.connect.grpc.binding.port={of_server}")
        server = start("server", "spark-submit", "--class", SERVER, "--master", master, *some, "spark-internal")
        wait_for(of_server, *server)
        yield Cluster(master, f"sc://127.0.0.1:{of_server}", folder)
    finally:
        for process in reversed(running):
            process.terminate()
        for process in running:
            process.wait(timeout=60)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with judgments and two runs as tables: qrels.parquet and runs.parquet."""
    folder, draw = tmp_path_factory.mktemp("tables"), np.random.default_rng(4)
    pairs = pl.DataFrame({"topic": np.repeat(np.arange(12), 30), "document": np.tile(np.arange(100, 130), 12)})
    pairs.with_columns(grade=pl.Series(draw.integers(0, 3, 360))).write_parquet(folder / "qrels.parquet")
    of = [pairs.with_columns(run=pl.lit(run), score=pl.Series(draw.random(360))) for run in ("a", "b")]
    pl.concat(of).write_parquet(folder / "runs.parquet")
    return folder


@pytest.mark.parametrize("door", ["server", pytest.param("master", marks=pytest.mark.slow)])
def test_a_command_is_answered_through_both_doors(cluster: Cluster, tables: Path, door: str) -> None:
    """The folder is that of the command; a server stands in another."""
    qrels, runs = (pl.read_parquet(tables / f"{name}.parquet") for name in ("qrels", "runs"))
    here = cf.evaluate(qrels, {run: runs.filter(run=run).drop("run") for run in ("a", "b")}, "AP nDCG@10")
    words = ["evaluate", "qrels.parquet", "runs.parquet", "-m", "AP nDCG@10", "--scale", "ignore", "--format", "json"]
    ended = cluster.ask(tables, "cranfield", *words, "--engine", getattr(cluster, door))
    assert json.loads(ended.stdout)["tables"]["values"] == here.summary().rows()
    assert ended.stderr == b"" or door == "master"  # of a server of Spark's nothing else is heard
    assert all(list(cluster.folder.glob(f"{worker}/app-*")) for worker in ("one", "two"))


def test_draws_are_made_by_the_workers_of_a_server(cluster: Cluster, tables: Path) -> None:
    qrels, runs = (pl.read_parquet(tables / f"{name}.parquet") for name in ("qrels", "runs"))
    values = cf.evaluate(qrels, {run: runs.filter(run=run).drop("run") for run in ("a", "b")}, "AP", scale="ignore")
    here = cf.test(values, "bootstrap", seed=3)["tests"].rows()
    values.to_polars().write_parquet(tables / "values.parquet")
    there = """if True:
        import sys, json, polars as pl, cranfield as cf
        from cranfield.integrations import spark as distributed
        values = cf.read_scores(pl.read_parquet("values.parquet"))
        print(json.dumps(distributed.bootstrap(values, engine=sys.argv[1], seed=3)["tests"].rows()))
    """
    ended = cluster.ask(tables, sys.executable, "-c", there, cluster.server)
    assert json.loads(ended.stdout) == json.loads(json.dumps(here))


@pytest.mark.slow
def test_a_log_is_asked_on_a_server(cluster: Cluster, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(search_logs.as_arrow(search_logs.made_up(300, 3, users=20)), tmp_path / "log.parquet")
    words = ["cranfield", "clicks", "log.parquet", "--format", "json", "--engine"]
    found = [cluster.ask(tmp_path, *words, engine) for engine in ("duckdb", cluster.server)]
    mine, theirs = (json.loads(ended.stdout)["tables"] for ended in found)
    assert mine.keys() == theirs.keys()
    for name, rows in mine.items():
        assert [row.keys() for row in rows] == [row.keys() for row in theirs[name]], name
        numbers = [
            [cell for row in some for cell in row.values() if isinstance(cell, float)] for some in (rows, theirs[name])
        ]
        assert numbers[0] == pytest.approx(numbers[1], abs=1e-9), name
