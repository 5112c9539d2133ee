"""Full text search in documents: FTS5 of SQLite, or an index of PostgreSQL, whichever the database is."""

from typing import Any

from django.db import migrations

SQLITE = (
    "create virtual table document_words using fts5("
    "title, text, content='server_document', content_rowid='id', tokenize='unicode61 remove_diacritics 2')",
    "create trigger document_words_in after insert on server_document begin "
    "insert into document_words(rowid, title, text) values (new.id, new.title, new.text); end",
    "create trigger document_words_out after delete on server_document begin "
    "insert into document_words(document_words, rowid, title, text) values ('delete', old.id, old.title, old.text); end",
    "create trigger document_words_other after update on server_document begin "
    "insert into document_words(document_words, rowid, title, text) values ('delete', old.id, old.title, old.text); "
    "insert into document_words(rowid, title, text) values (new.id, new.title, new.text); end",
)
POSTGRESQL = (
    "create index document_words on server_document using gin "
    "((to_tsvector('simple', title || ' ' || left(text, 500000))))",
)


def add(apps: Any, schema: Any) -> None:
    """As the database can."""
    del apps
    for line in SQLITE if schema.connection.vendor == "sqlite" else POSTGRESQL:
        schema.execute(line)


class Migration(migrations.Migration):
    dependencies = [("server", "0002_judging")]

    operations = [migrations.RunPython(add, migrations.RunPython.noop)]
