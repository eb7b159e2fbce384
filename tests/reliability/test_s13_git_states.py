"""Every verb in every state of a git repository answers or says why not, and writes nothing (S-13).

The store is made and indexed before the repository gets into the state, as in life; a state that is
a repository of its own is set up there. What fails must fail with a code of the documented table.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from pathlib import Path

import pytest

from gitmem import operations
from gitmem.operations.registry import READ
from tests.reliability.scoring import Score
from tests.support import children, every_verb, trees
from tests.support.apps import Desk
from tests.support.cli import environment
from tests.support.git_states import STATES, NotHere, seed_copy, seed_repository
from tests.support.repos import RepoBuilder

READ_ONLY = "read-only"
OBJECTS = "/objects/"
EVERYWHERE = ("orient",)
QUIET = {"GITMEM_BACKUP_INTERVAL_HOURS": "0", "GITMEM_COPY_MODE": "off", "GITMEM_MODEL": "hashed"}


@pytest.fixture(scope="module")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """The seed repository with three memories and an index."""
    repo = seed_repository(tmp_path_factory.mktemp("seed"))
    desk = Desk(repo.path, repo.home, **QUIET)
    desk.run("init", no_hooks=True)
    saved = [
        desk.run("remember", text=text, path=(every_verb.FILE,), duplicates="allow").id
        for text in ("The till is odd", "The cart is even", "This one is lost")
    ]
    desk.env["IDS"] = " ".join(saved)
    return desk


def picture(folder: Path) -> dict[str, object]:
    """All that git and the user have: files with their content, objects by their names."""
    found: dict[str, object] = {}
    for at, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != ".gitmem"]
        for name in names:
            path = os.path.join(at, name)
            content: object = os.path.islink(path) and os.readlink(path)
            if os.path.isfile(path) and not content and OBJECTS not in path:
                content = hashlib.sha256(Path(path).read_bytes()).hexdigest()
            found[path] = content
    return found


def verbs_in(made: Desk, out: Path, number: int, turns: int) -> list[tuple[str, str]]:
    """The verbs that a state tries with the code of each refusal: one in ``turns`` of them."""
    calls = every_verb.calls(made.env["IDS"].split(), out)
    tried = [
        (name, values)
        for at, (name, values) in enumerate(calls)
        if name in EVERYWHERE or (at + number) % turns == 0
    ]
    return [(name, every_verb.answer(made, name, values)) for name, values in tried]


def enter(name: str, seed: Desk, folder: Path) -> RepoBuilder:
    """A repository in the state, with a store."""
    copied = seed_copy(RepoBuilder(seed.place, init=False), folder)
    return STATES[name](copied, folder)


def tried_in(name: str, seed: Desk, folder: Path, number: int, turns: int) -> list[tuple[str, str]]:
    """Verbs and refusals in a state, after which all but the store is as it was."""
    repo = enter(name, seed, folder)
    made = seed.at(repo.path)
    (folder / "out").mkdir()
    if not (repo.path / ".gitmem").exists():
        every_verb.answer(made, "init", {"no_hooks": True, "no_index": True})
    before = picture(folder)
    output = verbs_in(made, folder / "out", number, turns)
    every_verb.answer(made, "hooks uninstall", {})  # of what ``hooks install`` wrote
    after = {path: what for path, what in picture(folder).items() if "/out/" not in path}
    if name == "sparse":  # git itself writes a tree when it unfolds such an index to list it
        after = {
            path: what for path, what in after.items() if path in before or OBJECTS not in path
        }
    assert after == before, (name, sorted(set(after.items()) ^ set(before.items())))
    return output


def test_every_verb_in_every_state(
    seed: Desk, tmp_path_factory: pytest.TempPathFactory, score: Score
) -> None:
    turns, every = score.size(quick=24, full=1), score.size(quick=3, full=1)
    output: Counter[str] = Counter()
    verbs: set[str] = set()
    skipped = []
    names = [name for name in STATES if name != READ_ONLY][::every]
    for number, name in enumerate(names):
        try:
            done = tried_in(name, seed, tmp_path_factory.mktemp("state"), number, turns)
        except NotHere:
            skipped.append(name)
            continue
        except Exception as error:
            error.add_note(f"in the state {name}")
            raise
        verbs.update(verb for verb, _ in done)
        output.update(code for _, code in done)
    assert verbs == {name for name, _ in every_verb.calls(("", "", ""), Path())}
    # Most states are ordinary: where nearly nothing works the table is worth nothing.
    tried = sum(output.values())
    assert output[""] > tried * 0.5, output
    states = len(names) - len(skipped)
    score.report("calls", cases=tried, fired=tried, states=states, refused=tried - output[""])


@children.needs_fork
def test_reading_verbs_where_no_folder_may_be_written(seed: Desk, score: Score) -> None:
    """P7, as a user who is not root."""
    with children.open_folder() as folder:
        made = seed.at(enter(READ_ONLY, seed, folder).path)
        trees.copy(seed.home, folder / "home")
        made.home = folder / "home"
        made.env |= environment(made.home)
        children.give_away(folder)
        result = folder / "told"
        result.touch(mode=0o666)
        result.chmod(0o666)

        def work() -> None:
            for name, values in every_verb.calls(made.env["IDS"].split(), folder / "out"):
                if operations.load_operation(name).effect == READ and "export" not in name:
                    code = every_verb.answer(made, name, values)
                    with result.open("a") as file:
                        file.write(f"{name}: {code}\n")

        before = picture(folder / "repo")
        assert children.run(children.as_nobody(work)) == children.DONE, result.read_text()
        assert picture(folder / "repo") == before
        lines = result.read_text().splitlines()
        refused = [line for line in lines if not line.endswith(": ")]
        assert {line.partition(": ")[2] for line in refused} <= {"not_found"}, refused
        score.report("read-only", cases=len(lines), fired=len(lines), refused=len(refused))
