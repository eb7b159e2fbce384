"""What a change would concern: whose uses count, what of the past is told, and how risky it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.errors import InvalidInput, NotFound
from gitmem.impact import assessment, dependants
from gitmem.impact.assessment import ImpactAssessment
from gitmem.timeline import co_change
from tests.support.apps import DAY, Desk
from tests.support.repos import RepoBuilder

LIB = "def lend(x):\n    return x\n\n\ndef keep(x):\n    return lend(x)\n"
USER = "from lib import lend\n\n\ndef show():\n    return lend(1)\n"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    repo = RepoBuilder(tmp_path / "repo")
    files = {"lib.py": LIB, "user.py": USER, "far.py": "from user import show\n\nshow()\n"}
    repo.commit("Start", files | {"tests/test_lib.py": USER.replace("show", "test_lend")})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    return desk


def assessed(desk: Desk, message: str, depth: int = 4) -> ImpactAssessment:
    app = desk.app()
    try:
        return assessment.assess_impact(app, message, depth)
    finally:
        app.close()


def ways(found: ImpactAssessment) -> dict[str, tuple[int, bool]]:
    return {dependant.path: (dependant.depth, dependant.test) for dependant in found.dependants}


def test_a_name_is_used_in_its_own_file_and_a_file_does_not_use_itself(desk: Desk) -> None:
    found = assessed(desk, "lend")
    assert ways(found) == {
        "lib.py": (1, False), "user.py": (1, False), "tests/test_lib.py": (1, True),
        "far.py": (2, False),
    }  # fmt: skip
    assert found.tests == ("tests/test_lib.py",)
    whole = assessed(desk, "lib.py")
    assert "lib.py" not in ways(whole) and {"user.py", "far.py"} <= ways(whole).keys()
    assert ways(assessed(desk, "lend", depth=1)).keys() == ways(found).keys() - {"far.py"}


def test_each_way_leads_from_what_was_asked_to_the_file(desk: Desk) -> None:
    (far,) = [
        dependant for dependant in assessed(desk, "lend").dependants if dependant.path == "far.py"
    ]
    assert far.way[0] == "lib.py:lend" and far.way[-1].startswith("far.py")
    assert far.way[1] == "user.py:show"
    assert 0 < far.confidence <= 1 and far.evidence


def test_memories_of_it_and_of_what_uses_it_are_reported_and_weigh(desk: Desk) -> None:
    before = assessed(desk, "lend").risk
    desk.run("decide", title="Lending is free", path=("user.py",))
    desk.run("remember", text="Lend once", path=("lib.py",))
    desk.run("remember", text="Far away", path=("elsewhere.py",))
    found = assessed(desk, "lend")
    assert {item.headline for item, _ in found.memories} == {"Lending is free", "Lend once"}
    assert found.risk.score > before.score
    assert "1 decision on the way" in found.risk.reasons
    assert "1 memory cites it or what uses it" in found.risk.reasons


def test_a_file_that_is_gone_is_nothing_to_look_at(desk: Desk) -> None:
    repo = RepoBuilder(desk.place, init=False, home=desk.home)
    for number in range(co_change.MIN_COMMON_COMMITS):
        repo.commit(f"Both {number}", {"lib.py": f"{LIB}# {number}\n", "note.txt": f"{number}\n"})
    desk.run("index")
    assert [item.path for item in assessed(desk, "lib.py").together] == ["note.txt"]
    (desk.place / "note.txt").unlink()
    found = assessed(desk, "lib.py")
    assert found.together == () and "note.txt" not in found.likely


def test_only_what_changed_lately_counts_as_churn(desk: Desk) -> None:
    repo = RepoBuilder(desk.place, init=False, home=desk.home)
    repo._now = desk.clock.now() // 1000 - 6 * 3600
    for number in range(5):
        repo.commit(f"Work {number}", {"lib.py": f"{LIB}# {number}\n"})
    desk.run("index")
    text = "changed by 5 commits in half a year"
    assert text in assessed(desk, "lib.py").risk.reasons
    desk.clock.advance(181 * DAY)
    assert not [
        reason for reason in assessed(desk, "lib.py").risk.reasons if "half a year" in reason
    ]


def test_a_circle_is_reported(desk: Desk) -> None:
    app = desk.app()
    users = dependants.find_dependant_files(
        app, assessment.graph_target.graph_nodes_of_file(app, "lib.py"), 3, whole_files=True
    )
    assert not dependants.is_in_import_cycle(app, "lib.py", users)
    app.close()
    (desk.place / "lib.py").write_text(f"import user\n\n\n{LIB}")
    desk.run("index")
    app = desk.app()
    users = dependants.find_dependant_files(
        app, assessment.graph_target.graph_nodes_of_file(app, "lib.py"), 3, whole_files=True
    )
    assert dependants.is_in_import_cycle(app, "lib.py", users)
    app.close()


def test_what_is_not_there_is_reported(desk: Desk) -> None:
    for message, error in (("nowhere.py", NotFound), ("v1..v2", NotFound), ("", InvalidInput)):
        with pytest.raises(error):
            assessed(desk, message)
