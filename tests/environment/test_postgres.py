"""PostgreSQL starts without root, answers on a socket only, and gives each test an empty database."""

from __future__ import annotations

import psycopg
import pytest


@pytest.mark.parametrize("attempt", [1, 2])
def test_each_test_has_a_database_of_its_own(postgres: str, attempt: int) -> None:
    with psycopg.connect(postgres) as connection:
        connection.execute("create table value (run text, topic text, value float8, primary key (run, topic))")
        with connection.cursor() as cursor:
            cursor.executemany(
                "insert into value values (%s, %s, %s)",
                [("bm25", "301", 0.25), ("bm25", "302", 0.75), ("dense", "301", 0.125 * attempt)],
            )
        means = connection.execute("select run, avg(value) from value group by run order by run").fetchall()
    assert means == [("bm25", 0.5), ("dense", 0.125 * attempt)]


def test_the_server_listens_on_no_network(postgres: str) -> None:
    with psycopg.connect(postgres) as connection:
        assert connection.execute("show listen_addresses").fetchone() == ("",)
