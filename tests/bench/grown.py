"""A store of 100,000 pieces made many times as large, so that a million can be measured.

The texts are copies of which each fifth word is one of another piece; paths, names, references and
full text come along, and each text has a vector near that of what it was copied from. Once for a
store: the copies of a second time would be the same.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import apsw

from gitmem.embedding import base
from gitmem.store.code import indexed_files
from gitmem.store.code.code_integrity import vector_checksum
from gitmem.text import identifiers

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FAST = ("journal_mode=off", "synchronous=off", "cache_size=-2000000", "foreign_keys=off")
Rows = dict[int, list[tuple[Any, ...]]]


def grow(file: Path, times: int) -> None:
    """Make the store of that file so many times as large. Not undone, and not while it is used."""
    connection = apsw.Connection(str(file))
    for pragma in _FAST:
        connection.execute(f"PRAGMA {pragma}")
    growing = _Growing(connection)
    for copy in range(1, times):
        connection.execute("BEGIN")
        growing.add(copy)
        connection.execute("COMMIT")
        print(f"copy {copy} of {times - 1}", flush=True)
    connection.execute("INSERT INTO chunk_text (chunk_text, rank) VALUES ('merge', 5000)")
    connection.execute("PRAGMA journal_mode=wal")
    connection.close()


class _Growing:
    """What is copied, read once."""

    def __init__(self, connection: apsw.Connection) -> None:
        import numpy

        self._random, self._drawn = random.Random(3), numpy.random.default_rng(3)
        self._write = connection.executemany
        self._value: Callable[..., int] = lambda sql: next(connection.execute(sql))[0]
        self._part = self._value(
            "SELECT p.id FROM vector_parts p WHERE p.source = 'chunk' "
            "ORDER BY (SELECT count(*) FROM vectors v WHERE v.part = p.id) DESC"
        )
        self._connection = connection
        question = "SELECT hash, q8 FROM vectors WHERE part = ?"
        made = dict(connection.execute(question, (self._part,)).fetchall())
        self._place = {mark: at for at, mark in enumerate(made)}
        self._vectors = self._unit(
            numpy.frombuffer(b"".join(made.values()), "i1").reshape(len(made), -1).astype("f4")
        )
        self._blobs = self._all(
            "SELECT id, oid, cutter, lines, bytes FROM blobs WHERE skipped = ''"
        )
        self._chunks = self._grouped(
            "SELECT blob, id, start_line, end_line, context, symbol, text, hash FROM chunks"
        )
        self._paths = self._grouped("SELECT blob, tree, path, language FROM paths")
        self._symbols = self._grouped(
            "SELECT blob, name, key, kind, signature, doc, container, start_line, end_line, "
            "exported FROM symbols"
        )
        self._refs = self._grouped("SELECT blob, name, kind, lines FROM refs")
        pieces = [row for rows in self._chunks.values() for row in rows[:4]]
        self._words = [word for piece in pieces[::3] for word in _WORD.findall(piece[5])[::4]]

    def _all(self, question: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(question).fetchall()

    def _grouped(self, question: str) -> Rows:
        found: Rows = defaultdict(list)
        for blob, *row in self._all(question):
            found[blob].append(tuple(row))
        return found

    def add(self, copy: int) -> None:
        """Write one more copy of everything."""
        blob = self._value("SELECT max(id) FROM blobs")
        chunk = self._value("SELECT max(id) FROM chunks")
        marks: list[tuple[bytes, bytes]] = []
        for old, oid, cutter, lines, size in self._blobs:
            if not self._paths[old]:
                continue
            blob += 1
            tree, path, language = self._paths[old][0]
            path = f"copy{copy}/{path}"
            name = hashlib.sha1(f"{oid}{copy}".encode()).hexdigest()
            self._insert("blobs", [(blob, name, cutter, "", lines, size)])
            self._insert("paths", [(tree, path, blob, language)])
            self._insert("symbols", [(None, blob, *row) for row in self._symbols[old]])
            self._insert("refs", [(name, kind, blob, at) for name, kind, at in self._refs[old]])
            words = " ".join(identifiers.words_and_identifier_parts(path))
            rows, texts = [], []
            for _, start, end, context, symbol, text, mark in self._chunks[old]:
                chunk += 1
                changed = self._changed(text)
                new = hashlib.blake2b(bytes([copy]) + mark + changed.encode(), digest_size=16)
                rows.append((chunk, blob, start, end, context, symbol, changed, new.digest()))
                texts.append(indexed_files._text_row(words, (chunk, symbol, context, changed)))
                if mark in self._place:
                    marks.append((mark, new.digest()))
            self._insert("chunks", rows)
            self._write(
                "INSERT INTO chunk_text (rowid, path, symbol, context, body, parts) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                texts,
            )
        self._embed(marks)

    def _insert(self, table: str, rows: list[tuple[Any, ...]]) -> None:
        if rows:
            self._write(f"INSERT INTO {table} VALUES ({','.join('?' * len(rows[0]))})", rows)

    def _changed(self, text: str) -> str:
        count = self._random.randrange(5)

        def other(found: re.Match[str]) -> str:
            nonlocal count
            count += 1
            return found[0] if count % 5 else self._random.choice(self._words)

        return _WORD.sub(other, text)

    def _embed(self, marks: Iterable[tuple[bytes, bytes]]) -> None:
        new = {mark: self._place[old] for old, mark in marks}
        own = self._vectors[list(new.values())]
        drawn = self._drawn.integers(0, len(self._vectors), len(own))
        noise = self._drawn.standard_normal(own.shape).astype("f4") / 16
        mixed = self._unit(0.8 * own + 0.35 * self._vectors[drawn] + 0.25 * noise)
        number = self._value(f"SELECT max(id) FROM vectors WHERE part = {self._part}")
        rows, bits = [], []
        for mark, values in zip(new, (mixed * 127).round().astype("i1"), strict=True):
            number += 1
            q8 = values.tobytes()
            sign = base.sign_bits(q8)
            rows.append((number, self._part, mark, q8, vector_checksum(q8, sign)))
            bits.append((number, sign))
        self._insert("vectors", rows)
        self._insert("vector_bits", bits)
        self._write("UPDATE vector_parts SET stamp = randomblob(8) WHERE id = ?", [(self._part,)])

    @staticmethod
    def _unit(rows: Any) -> Any:
        return rows / (rows**2).sum(axis=1, keepdims=True).clip(1e-9) ** 0.5
