"""Pairs of a real repository's files and commits, within limits; WordNet's entries."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from tests.bench.training.mine import CAPS, capped, main
from tests.bench.training.wordnet import from_wordnet
from tests.support.repos import RepoBuilder

UNCHANGED = '''def keep_rows(path):
    """Keep every row of the file at that path."""
    return open(path).read()
'''
JUDGED = '''def judge_rows(path):
    """Judge every row of the file at that path."""
    return open(path).read()
'''
ENTRY = (
    "00001740 29 v 02 breathe 0 take_a_breath 0 000 | draw air into the lungs; "
    '"I can breathe better here"  \n'
)
PLACE = "08766988 15 n 01 Paris 0 000 | the capital and largest city of France  \n"


def test_files_and_commits_are_mined_but_nothing_that_is_judged_on(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "kept")
    vendored = {"vendor/other.py": UNCHANGED.replace("Keep", "Copy")}
    files = {
        "a.py": UNCHANGED,
        "b.py": JUDGED,
        "long.py": UNCHANGED + "#" * 400_001,
        "odd.py": "x = '\udcff'",
    }
    repo.commit("Read rows from the file", {**files, **vendored})
    absent = repo.git("hash-object", "b.py")
    corpus = tmp_path / "corpus.jsonl.gz"
    with gzip.open(corpus, "wt", encoding="utf-8") as lines:
        lines.write(json.dumps({"text": JUDGED}) + "\n")
    where = [str(repo.path / ".git"), "--out", str(tmp_path / "out")]
    main([*where, "--judged", str(corpus)])
    text = (tmp_path / "out" / "kept.jsonl").read_text("utf-8")
    found = [json.loads(line) for line in text.splitlines()]
    queries = {item[1] for item in found if item[0] == "code"}
    assert queries == {"Keep every row of the file at that path."}
    assert ["commit", "Read rows from the file"] in [item[:2] for item in found]
    (repo.path / ".git" / "objects" / absent[:2] / absent[2:]).unlink()
    main(where)
    assert "Judge" not in (tmp_path / "out" / "kept.jsonl").read_text("utf-8"), "a blob is absent"


def test_no_kind_of_pair_and_no_question_comes_too_often() -> None:
    many = [("section", (f"about {n}", "told")) for n in range(CAPS["section"] + 5)]
    found = list(capped([*many, ("code", ("asked", "old")), ("code", ("asked", "new"))], 7))
    assert len(found) == CAPS["section"] + 1
    assert found[0] == ("code", ("asked", "new"))


def test_an_entry_of_wordnet_gives_its_meaning_and_its_example(tmp_path: Path) -> None:
    for part in ("noun", "verb", "adj", "adv"):
        text = {"verb": ENTRY, "noun": PLACE}.get(part, "")
        (tmp_path / f"data.{part}").write_text("  1 A licence.\n" + text, "latin-1")
    assert list(from_wordnet(tmp_path)) == [
        ("name", ("breathe take a breath", "draw air into the lungs")),
        (
            "sentence",
            ("I can breathe better here", "breathe, take a breath: draw air into the lungs"),
        ),
    ]
