"""Random input for parsers that follows what it reaches, by atheris (libFuzzer).

    python -m tests.reliability.guided --folder FOLDER --inputs 20000 [PARSER ...]

An input that reaches a branch of gitmem which none reached before is kept, and what is tried next
is made from those. Prints a line of JSON for each parser (``Found``). Where a parser raised what it
should not, or took seconds, the input lies in ``FOLDER/<number>/wrong-*`` and the exit status is 1.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from types import ModuleType
from typing import NoReturn

from gitmem.errors import GitmemError

SLOW = 20  # seconds of wall time for one input: other processes run beside it
LARGEST = 2048  # bytes of an input
TABLE = "tests.reliability.parsers"
SEEDS = "tests.reliability.seeds"
_COUNTS = re.compile(r"#(\d+)\s+(INITED|DONE)\s+cov: (\d+) ft: \d+ corp: (\d+)/")


@dataclass(frozen=True)
class Found:
    """What one parser's run reached: branches at the beginning and at the end, inputs kept."""

    parser: str
    inputs: int
    before: int
    reached: int
    kept: int
    wrong: str  # the end of what was said where an input was wrong


def main() -> int:
    """Try the parsers one after the other."""
    import atheris

    result = _arguments()
    failed = False
    atheris.enabled_hooks.add("str")  # what is asked for by startswith is a hint what to try
    with atheris.instrument_imports(include=["gitmem", result.table]):
        table = importlib.import_module(result.table)
        if result.table == TABLE:
            importlib.import_module(SEEDS)
        for number, name in enumerate(result.parser or [*table.TEXTS, *table.BYTES, *table.HOSTS]):
            folder = result.folder / str(number)
            folder.mkdir(parents=True)
            # libFuzzer ends its process; a child need not load the parsers again.
            pid = os.fork()
            if not pid:
                _fuzz(table, name, folder, result.inputs)
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            found = _read(name, (folder / "said").read_text(errors="replace"), status)
            print(json.dumps(asdict(found)), flush=True)
            failed = failed or bool(found.wrong)
    return int(failed)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.guided")
    parser.add_argument("parser", nargs="*", help="names in the table of parsers; all of it")
    parser.add_argument("--folder", required=True, type=Path, help="an empty folder")
    parser.add_argument("--inputs", type=int, default=10_000, help="for each parser")
    parser.add_argument("--table", default=TABLE, help="the module that holds the parsers")
    return parser.parse_args()


def _fuzz(table: ModuleType, name: str, folder: Path, inputs: int) -> NoReturn:
    """Give one parser so many inputs; what is said goes to ``folder/said``."""
    import atheris

    message = os.open(folder / "said", os.O_WRONLY | os.O_CREAT, 0o600)
    os.dup2(message, 1)
    os.dup2(message, 2)
    saved = folder / "kept"
    saved.mkdir()
    samples = [sample.encode("utf-8", "surrogateescape") for sample in table.SAMPLES]
    seeds = sys.modules.get(SEEDS)
    for number, sample in enumerate([*samples, *(seeds.of(name) if seeds else ())]):
        (saved / f"sample-{number}").write_bytes(sample)
    options = {
        "artifact_prefix": f"{folder}/wrong-",
        "dict": _dictionary(folder / "words", table.WORDS),
        "len_control": 0,
        "max_len": LARGEST,
        "rss_limit_mb": 1024,
        "runs": inputs,
        "seed": 1,
        "timeout": SLOW,
    }
    words = [f"-{name}={value}" for name, value in options.items()]
    command = [sys.argv[0], *words, str(saved)]
    atheris.Setup(command, _tried(table, name), **({"custom_mutator": _changed} if seeds else {}))
    atheris.Fuzz()
    raise AssertionError("libFuzzer has ended the process")


def _read(parser: str, message: str, status: int) -> Found:
    result = {word: (number, cov, saved) for number, word, cov, saved in _COUNTS.findall(message)}
    first, last = result.get("INITED", ("0", "0", "0")), result.get("DONE", ("0", "0", "0"))
    wrong = message[-4000:] if status else ""
    return Found(parser, int(last[0]), int(first[1]), int(last[1]), int(last[2]), wrong)


def _changed(data: bytes, most: int, seed: int) -> bytes:
    """Another input made from one: of a JSON object every second is one again."""
    import atheris

    from tests.reliability import seeds

    rng = Random(seed)
    made = seeds.bent(data, rng) if rng.random() < 0.5 else None
    return made if made and len(made) <= most else bytes(atheris.Mutate(data, most))


def _tried(table: ModuleType, name: str) -> Callable[[bytes], None]:
    """One input: a result or a documented error."""
    refused = (GitmemError, *table.ALSO.get(name, ()))
    texts = table.TEXTS.get(name)
    parse = texts or {**table.BYTES, **table.HOSTS}[name]

    def one(data: bytes) -> None:
        try:
            parse(data.decode("utf-8", "surrogateescape") if texts else data)
        except refused as error:
            assert str(error), "an error that says nothing"

    return one


def _dictionary(file: Path, words: Iterable[str]) -> Path:
    """The words of the samples as libFuzzer reads them: what is no plain sign is escaped."""
    lines = []
    for word in words:
        signs = [
            chr(byte) if 0x20 < byte < 0x7F and byte not in b'"\\' else f"\\x{byte:02x}"
            for byte in word.encode("utf-8", "surrogateescape")
        ]
        lines.append(f'"{"".join(signs)}"\n')
    file.write_text("".join(lines))
    return file


if __name__ == "__main__":
    raise SystemExit(main())
