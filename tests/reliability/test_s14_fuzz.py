"""Random input for every parser: a result or a documented error, none waits (S-14).

What a parser gets is put together from pieces of what it is meant for, of other formats, and of
anything; so it often goes a way into the grammar before it breaks.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

from gitmem.app import App
from gitmem.errors import GitmemError, InvalidInput
from gitmem.search import query
from tests.reliability.parsers import ALSO, BYTES, HOSTS, SAMPLES, TEXTS, WORDS, Parser
from tests.reliability.scoring import Score

SLOW = 1.0  # seconds of CPU for one input
MEMORY = 300  # MB that all of it may add
SIGNS = "{}[]()<>\"'`\\/#:;,.*?^$|&%@!~=+-_ \n\r\t\0\x1b\ufeff\u202e\u0130\udc80"


def text(rng: Random) -> str:
    """Up to eight pieces, sometimes without the beginning."""
    made = "".join(_piece(rng) for _ in range(rng.randrange(9)))
    return made[rng.randrange(len(made) + 1) :] if rng.random() < 0.3 else made


def _piece(rng: Random) -> str:
    kind = rng.random()
    if kind < 0.2:
        return rng.choice(SAMPLES)
    if kind < 0.5:
        return rng.choice(WORDS)
    if kind < 0.75:
        return rng.choice(SIGNS)
    if kind < 0.85:
        return str(rng.randint(-(10 ** rng.randrange(40)), 10 ** rng.randrange(40)))
    return "".join(chr(rng.randrange(0x20, 0x2FFF)) for _ in range(rng.randrange(7)))


def data(rng: Random) -> bytes:
    """Such a text, now and then with bytes changed, or any bytes."""
    if rng.random() < 0.3:
        return rng.randbytes(rng.randrange(80))
    made = bytearray(text(rng).encode("utf-8", "surrogatepass"))
    for _ in range(rng.randrange(3) if made else 0):
        made[rng.randrange(len(made))] = rng.randrange(256)
    return bytes(made)


def fuzzed(name: str, parser: Parser, make: Callable[[Random], Any], inputs: int) -> int:
    """Try a parser; how many inputs it refused."""
    refused = 0
    rng = Random(name)
    for number in range(inputs):
        tried = make(rng)
        begun = time.process_time()
        try:
            parser(tried)
        except (GitmemError, *ALSO.get(name, ())) as error:
            refused += 1
            assert str(error), "an error that says nothing"
        except Exception as error:
            error.add_note(f"{name}, input {number}: {tried!r}")
            raise
        took = time.process_time() - begun
        assert took < SLOW, f"{name}, input {number}: {took:.1f} s for {tried!r}"
    return refused


def test_every_parser_answers_or_refuses(score: Score) -> None:
    inputs = score.size(quick=20, full=10_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    refused, wrong = 0, []
    every = [*((item, text) for item in TEXTS.items()), *((byte, data) for byte in BYTES.items())]
    every += [(host, data) for host in HOSTS.items()]
    for (name, parser), make in every:
        try:
            refused += fuzzed(name, parser, make, inputs)
        except Exception as error:
            wrong.append(error)
    if wrong:
        raise ExceptionGroup(f"{len(wrong)} of {len(every)} parsers", wrong)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert grown < MEMORY
    score.report("inputs", cases=inputs * len(every), fired=refused, parsers=len(every))


def test_any_question_is_one_for_the_full_text_index(app: App, score: Score) -> None:
    """What is typed never is syntax: 98 of 100 such texts would be errors if they went in raw."""
    inputs = score.size(quick=100, full=10_000)
    rng, answered = Random("questions"), 0
    for _ in range(inputs):
        output = text(rng)
        with suppress(InvalidInput):
            terms = query.parse_terms(output)
            counts = {term.expression: 1 for term in terms}
            for match in (
                query.all_terms_fts_expression(terms),
                query.selective_fts_expression(terms, counts, 1),
            ):
                app.store.rows("SELECT rowid FROM memory_text WHERE memory_text MATCH ?", (match,))
                answered += 1
    score.report("full-text questions", cases=inputs, fired=answered)
