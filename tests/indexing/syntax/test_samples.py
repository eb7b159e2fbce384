"""Each language in one sample: what is told of it stands in the file of its name beside it.

A line is told for each definition (lines, whether it is hidden from others, kind, name, signature,
documentation), for each kind of use, and for each import. What was meant to change is written anew
with ``python -m tests.indexing.syntax.test_samples``, and read in the diff.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.syntax import read, whole

FOLDER = Path(__file__).parent / "samples"
SAMPLES = {path.stem: path for path in sorted(FOLDER.iterdir()) if path.suffix != ".txt"}


def report(language: str) -> str:
    path = SAMPLES[language]
    return whole(read(language, path.name, path.read_text(encoding="utf-8")))


def expected(language: str) -> Path:
    return FOLDER / f"{language}.txt"


@pytest.mark.parametrize("language", SAMPLES)
def test_a_sample_is_told_as_it_stands_beside_it(language: str) -> None:
    assert report(language) == expected(language).read_text(encoding="utf-8")


if __name__ == "__main__":
    for name in SAMPLES:
        expected(name).write_text(report(name), encoding="utf-8")
