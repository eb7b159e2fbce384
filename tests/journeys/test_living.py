"""Memories that live: two years of history, a squash merge, six weeks unused, a change of mind."""

from __future__ import annotations

import copy
import time
from pathlib import Path
from typing import Any

import pytest

from gitmem import operations
from gitmem.app import App
from gitmem.settings import Settings
from tests.support import moved
from tests.support.apps import DAY, HOUR, NOW, Desk, copy_of, small_repo
from tests.support.cli import Program
from tests.support.histories import SERVER, History, two_years
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder
from tests.support.waiting import wait_until

WEEK = 7 * DAY
QUIET = {"GITMEM_MODEL": "hashed", "GITMEM_BACKUP_INTERVAL_HOURS": "0", "GITMEM_COPY_MODE": "off"}

# What became of it -> what is cited, the verdict two years later, where it stands now.
CITED = {
    "shifted": ("src/server.py:10-13", "fresh", ("src/server.py", 16, 19)),
    "indented": ("src/cart.py::total", "fresh", ("src/cart.py", 2, 6)),
    "wrapped": ("src/client.py:6-8", "fresh", ("src/client.py", 6, 10)),
    "moved": ("src/util.py::slugify", "moved", ("src/text/slugs.py", 4, 6)),
    "renamed": ("src/mail.py", "moved", ("src/notify/mail.py", None, None)),
    "edited": ("src/money.py::round_price", "changed", ("src/money.py", 4, 6)),
    "deleted": ("src/legacy.py:1-5", "gone", ("", None, None)),
    "folder": ("tools/build", "gone", ("", None, None)),
    "rewritten": ("src/config.py", "changed", ("src/config.py", None, None)),
    "missing": ("src/never.py", "unknown", ("", None, None)),
}
NOTED = ("Logs fill slowly", "The queue is hot", "Caches were cleared")
STALE = ("edited", "deleted", "folder", "rewritten")


# --- two years of history -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    """Built once; each site works in a copy."""
    return two_years(tmp_path_factory.mktemp("history"))


class Site:
    """The history with ten memories said two years ago, and the newest commit checked out."""

    def __init__(self, history: History, folder: Path) -> None:
        self.repo = copy_of(history.repo, folder)
        self.repo.home = folder / "home"
        self.program = Program(self.repo.home, self.repo.path, **QUIET)
        self.repo.switch(history.old)
        self.program("init", "--no-hooks")
        self.ids: dict[str, str] = {}
        self.notes: dict[str, list[str]] = {}
        for name, (cited, _, _) in CITED.items():
            output = self.program("remember", message(name), "--path", cited, "--json").json
            self.ids[name], self.notes[name] = output["id"], output["notes"]
        self.repo.switch("main")
        self.program("index")

    def by_name(self, found: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
        names = {id: name for name, id in self.ids.items()}
        return {names[item["id"]]: item for item in found}

    def verify(self, name: str, *words: str) -> dict[str, Any]:
        (item,) = self.program("verify", self.ids[name], *words, "--json").json["items"]
        return dict(item)


def message(name: str) -> str:
    return f"What was {name} matters"


@pytest.fixture(scope="module")
def site(history: History, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """For tests that only look."""
    return Site(history, tmp_path_factory.mktemp("site"))


@pytest.fixture
def own_site(site: Site, tmp_path: Path) -> Site:
    """A copy, for a test that settles and edits."""
    moved.copy(site.repo.path.parent, tmp_path)
    made = copy.copy(site)
    made.repo = RepoBuilder(tmp_path / "repo", init=False)
    made.program = Program(made.repo.home, made.repo.path, **QUIET)
    return made


def places(item: dict[str, Any]) -> tuple[str, str, tuple[Any, ...]]:
    (anchor,) = item["anchors"]
    where = (anchor["path"], anchor["first_line"], anchor["last_line"])
    assert anchor["verdict"] == item["freshness"]
    return anchor["cited"], anchor["verdict"], where


def test_two_years_later_each_memory_has_the_right_verdict(history: History, site: Site) -> None:
    """Ten memories of a commit two years old, the newest checked out."""
    assert [name for name, notes in site.notes.items() if notes] == ["missing"]
    assert "is not in this worktree" in site.notes["missing"][0]
    listed = site.by_name(site.program("list", "--json").json["memories"])
    assert {name: places(item) for name, item in listed.items()} == CITED
    assert {item["visibility"] for item in listed.values()} == {"here"}

    output = site.program("recall", "what was it that matters", "--json").json["memories"]
    recalled = site.by_name(output)
    assert {name: places(item) for name, item in recalled.items()} == CITED
    # Stale ones are ranked lower, and none is left out.
    assert set(list(recalled)[-len(STALE) :]) == set(STALE)

    looked = site.program("verify", "--all", "--json").json
    assert {n: places(item) for n, item in site.by_name(looked["items"]).items()} == CITED
    assert looked["counts"] == {"fresh": 3, "moved": 2, "unknown": 1, "changed": 2, "gone": 2}
    changed = site.program("verify", "--changed", "--json").json["items"]
    assert set(site.by_name(changed)) == set(STALE)
    for name in ("renamed", *STALE):
        (anchor,) = site.program("show", site.ids[name], "--json").json["memory"]["anchors"]
        assert anchor["commit"] == history.by[name], name


def test_orient_says_check_first_and_nothing_is_settled_by_reading(site: Site) -> None:
    output = site.program("orient").out
    assert "4 memories cite code that changed or is gone: gitmem verify" in output
    for name in STALE:
        (line,) = (line for line in output.split("\n") if message(name) in line)
        assert f"check first: {CITED[name][0]} {CITED[name][1]}" in line
    assert output.count("check first") == len(STALE)
    found = site.program("orient", "--json").json["memories"]
    assert {"freshness", "anchors", "layer", "visibility", "trust"} <= found[0].keys()
    for name, item in site.by_name(found).items():
        assert places(item) == CITED[name]
    for _ in range(2):
        found = site.program("recall", "matters", "--json").json["memories"]
        assert {name: places(item) for name, item in site.by_name(found).items()} == CITED
    assert {item["version"] for item in found} == {1}


def test_each_stale_memory_is_settled_and_all_are_fresh_afterwards(own_site: Site) -> None:
    """--accept, --re-anchor, --correct and --retire; what was said before stays in the history."""
    site = own_site
    several = [site.ids[name] for name in ("moved", "renamed", "edited", "deleted")]
    done = site.program("verify", *several, "--accept", "--json", status=1).json
    assert [item["action"] for item in done["items"]] == ["accepted"] * 3 + [""]
    assert done["failed"] == 1 and "is gone" in done["items"][3]["error"]
    assert "src/text/slugs.py::slugify" in site.program("show", site.ids["moved"]).out

    assert site.verify("deleted", "--retire")["action"] == "retired"
    new = "tools/build/release.py:1"
    folder = site.verify("folder", "--re-anchor", new, "--correct", "CI makes the archive")
    assert (folder["action"], folder["freshness"]) == ("corrected", "fresh")
    corrected = site.verify("rewritten", "--correct", "Settings come from shop.toml")
    assert (corrected["action"], corrected["freshness"]) == ("corrected", "fresh")
    anchored = site.verify("missing", "--re-anchor", "src/config.py::load")
    assert (anchored["action"], anchored["freshness"]) == ("re-anchored", "fresh")

    assert site.program("verify", "--all", "--json").json["counts"] == {"fresh": 9}
    assert site.program("verify", "--json").json["items"] == []
    assert "check first" not in site.program("orient").out
    steps = site.program("history", site.ids["folder"], "--json").json["versions"]
    assert [step["action"] for step in steps] == ["added", "corrected"]
    before = {change["field"]: change["before"] for change in steps[1]["changes"]}
    assert before["content"] == message("folder") and "tools/build" in before["paths"]
    site.program("restore", site.ids["deleted"])
    assert site.verify("deleted")["freshness"] == "gone"


def test_affected_names_what_is_about_to_be_committed(repo: RepoBuilder) -> None:
    program = Program(repo.home, repo.path, **QUIET)
    repo.commit("Serve", {"src/server.py": SERVER})
    program("init", "--no-hooks", "--no-index")
    place = "src/server.py:10-13"
    id = program("remember", "Start takes a backlog", "--path", place, "--json").json["id"]
    repo.write({"src/server.py": "# Ours.\n" + SERVER})
    assert affected(program) == []
    repo.write({"src/server.py": SERVER.replace("backlog=5", "backlog=9")})
    assert affected(program) == [(id, place)]
    assert affected(program, "--staged") == []
    repo.git("add", "-A")
    assert affected(program, "--staged") == [(id, place)]


def affected(program: Program, *words: str) -> list[tuple[str, str]]:
    output = program("affected", *words, "--json").json["memories"]
    return [(item["id"], item["cited"]) for item in output]


def test_affected_names_what_a_range_touches(history: History, site: Site) -> None:
    """Of all memories those that cite lines, files and renames of the diff."""
    # What only moved down in its file, and what was never there, no diff of two years touches.
    touched = {site.ids[name] for name in CITED} - {site.ids["shifted"], site.ids["missing"]}
    assert {id for id, _ in affected(site.program, "v1.0..v2.0")} == touched
    for name in ("moved", "renamed", "edited", "deleted", "folder", "rewritten"):
        by = history.by[name]
        assert affected(site.program, f"{by}^..{by}") == [(site.ids[name], CITED[name][0])]
    by = history.by["shifted again"]
    assert affected(site.program, f"{by}^..{by}") == []
    assert affected(site.program) == []


# --- a branch's memories ------------------------------------------------------------------------


def contents(program: Program, *words: str, **how: Any) -> set[str]:
    output = program("list", *words, "--json", **how).json["memories"]
    return {item["content"] for item in output}


def test_a_branchs_memories_through_a_squash_merge(repo: RepoBuilder) -> None:
    """Hidden on main, here after the merge though branch and commits are gone."""
    program = Program(repo.home, repo.path, **QUIET)
    program("init")
    program("remember", "Hats are sold daily")
    repo.branch("feature")
    repo.commit("Queue the orders", {"src/queue.py": "class Queue:\n    def put(self): ...\n"})
    program("remember", "The queue drops duplicates")
    program("remember", "Put waits for nobody", "--path", "src/queue.py:2")
    program("remember", "Commits are signed", "-k", "convention")
    repo.commit("Empty it at night", {"src/night.py": "HOUR = 3\n"})
    program("remember", "At three nobody buys hats", "-k", "fix")
    there = {"The queue drops duplicates", "Put waits for nobody", "At three nobody buys hats"}
    everywhere = {"Hats are sold daily", "Commits are signed"}
    assert contents(program) == there | everywhere

    repo.switch("main")
    assert contents(program) == everywhere
    assert program("recall", "queue duplicates", "--json").json["memories"] == []
    assert not any(text in program("orient").out for text in there)
    output = program("list", "--all-branches", "--json").json["memories"]
    observed = {item["content"]: item["visibility"] for item in output}
    assert observed == dict.fromkeys(there, "elsewhere") | dict.fromkeys(everywhere, "here")
    assert "[elsewhere]" in program("recall", "queue duplicates", "--all-branches").out

    repo.commit("Meanwhile", {"README.md": "# Shop\n\nOpen daily.\n"})
    repo.git("merge", "-q", "--squash", "feature")
    repo.git("commit", "-q", "-m", "Queue the orders (#7)")
    repo.git("branch", "-q", "-D", "feature")
    # At the lowest priority the drain of the hook may wait long for a busy machine.
    program("index")
    wait_until(lambda: contents(program) == there | everywhere)
    output = program("recall", "queue duplicates", "--json").json["memories"]
    assert [item["visibility"] for item in output] == ["here"]
    assert "At three nobody buys hats" in program("orient").out
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    assert contents(program) == there | everywhere


def test_a_linked_work_tree_sees_its_own(repo: RepoBuilder, tmp_path: Path) -> None:
    program = Program(repo.home, repo.path, **QUIET)
    program("init", "--no-index", "--no-hooks")
    program("remember", "Hats are sold daily")
    other = repo.worktree(tmp_path / "other", "side")
    other.commit("On the side", {"side.py": "y = 1\n"})
    program("remember", "The side has a y", "--path", "side.py:1", cwd=other.path)
    # From one work tree to the other and back: each keeps an answer of its own.
    for _ in range(2):
        both = {"Hats are sold daily", "The side has a y"}
        assert contents(program, cwd=other.path) == both
        assert contents(program) == {"Hats are sold daily"}
    (item,) = program("recall", "side", "--json", cwd=other.path).json["memories"]
    assert (item["freshness"], item["visibility"]) == ("fresh", "here")
    for _ in range(5):
        output = program("recall", "side", "--all-branches", "--json").json["memories"]
        # A busy machine may run out of time, and says so: the next look knows.
        if output[0]["freshness"] != "unknown":
            break
    assert [(item["freshness"], item["visibility"]) for item in output] == [("gone", "elsewhere")]


# --- time passes --------------------------------------------------------------------------------


@pytest.fixture
def quiet_desk(repo: RepoBuilder, ready: SetUp) -> Desk:
    return ready(Desk(repo.path, repo.home, now=NOW, **QUIET), no_hooks=True, no_index=True)


def keep(desk: Desk, text: str, **values: Any) -> str:
    return str(desk.run("remember", text=text, **values).id)


def handed_out(desk: Desk, text: str, *, alone: bool = False) -> bool:
    """Whether it is found, which counts as a use; ``alone``: and no other memory is."""
    found = [memory.content for memory in desk.run("recall", query=text, mode="keyword").memories]
    return found == [text] if alone else text in found


def captured(desk: Desk, text: str, **values: Any) -> str:
    """Kept as what a machine noted by itself."""
    remember = operations.load_operation("remember")
    app = App(Settings(desk.env), desk.clock, str(desk.place), source="system_auto")
    try:
        return str(remember.run(app, remember.request_class(text=text, **values)).id)
    finally:
        app.close()


def standing(desk: Desk, state: str = "active") -> set[str]:
    return {memory.id for memory in desk.run("list", state=(state,), limit=100).memories}


def test_six_weeks_later_what_faded_what_stayed_and_how_it_comes_back(quiet_desk: Desk) -> None:
    """CF-16, CF-17: nothing is deleted, and what was brought back stays."""
    desk = quiet_desk
    unused = [keep(desk, f"The printer on floor {number} is slow") for number in range(4)]
    stays = {
        keep(desk, "Deploys are on Tuesday", pin=True),
        keep(desk, "The vault has the key", importance=0.8),
        keep(desk, "The fair is in spring", ttl="200d"),
        str(desk.run("decide", title="Use SQLite", why="One file").id),
        *(keep(desk, f"Rule {number}", kind="convention") for number in range(6)),
    }
    used = keep(desk, "Redis listens on 6380")
    for _ in range(3):
        desk.clock.advance(DAY)
        assert handed_out(desk, "Redis listens on 6380")
    desk.clock.advance(6 * WEEK)

    text = desk.text("decay", dry_run=True, explain=True)
    assert "3 would be archived, 2 kept, 10 exempt" in text, text
    assert "1 more left for the next run" in text
    assert "0.3*exp(-age/28d) + 0.7*exp(-idle/14d)" in text
    assert "45 days old, not touched for 45, never returned" in text
    assert standing(desk, "archived") == set()

    assert desk.run("upkeep").faded == 3
    assert desk.run("upkeep").faded == 0
    desk.clock.advance(DAY)
    assert desk.run("upkeep").faded == 1
    assert standing(desk, "archived") == set(unused)
    assert standing(desk) == stays | {used}
    assert not handed_out(desk, "The printer on floor 2 is slow")

    assert "restored" in desk.text("restore", id=(unused[2],))
    assert handed_out(desk, "The printer on floor 2 is slow")
    desk.clock.advance(6 * WEEK)
    for _ in range(3):
        desk.run("upkeep")
        desk.clock.advance(DAY)
    assert standing(desk) == stays | {used, unused[2]}


def test_the_program_sees_to_what_faded_when_somebody_starts_work(repo: RepoBuilder) -> None:
    """No daemon: orient starts it. The store is six weeks old, the program's clock is the real."""
    desk = Desk(repo.path, repo.home, now=time.time_ns() // 1_000_000 - 6 * WEEK, **QUIET)
    desk.run("init", no_hooks=True, no_index=True)
    note = keep(desk, "The printer is slow")
    keep(desk, "Rules last", kind="convention")
    program = Program(repo.home, repo.path, **QUIET)
    output = program("decay", "--dry-run", "--explain", "--json").json
    assert [item["id"] for item in output["archived"]] == [note]
    assert (output["kept"], output["exempt"], output["dry_run"]) == (0, 1, True)
    program("orient")
    wait_until(lambda: contents(program) == {"Rules last"})
    assert contents(program, "--state", "archived") == {"The printer is slow"}
    program("restore", note)
    assert program("decay", "--json").json["archived"] == []
    assert contents(program) == {"Rules last", "The printer is slow"}


def test_what_a_session_notes_is_gone_after_an_hour_and_use_prolongs_it(quiet_desk: Desk) -> None:
    """CF-40, CT-7, CT-8: half an hour more for each use, for good from the fifth on."""
    desk = quiet_desk
    desk.run("session start", goal="Make the cart faster")
    idle, used, dear = (keep(desk, item, layer="working") for item in NOTED)
    assert {memory.layer for memory in desk.run("list").memories} == {"working"}
    for text in (NOTED[1], *[NOTED[2]] * 5):
        assert handed_out(desk, text, alone=True)
    desk.clock.advance(HOUR)
    assert standing(desk) == {used, dear}
    desk.clock.advance(HOUR // 2)
    assert standing(desk) == {dear}
    done = desk.run("upkeep")
    assert (done.expired, done.promoted) == (2, 1)
    assert standing(desk, "archived") == {idle, used}
    saved = desk.run("show", id=dear).memory
    assert (saved.layer, saved.expires_at, saved.id) == ("project", None, dear)
    assert [step.action for step in desk.run("history", id=dear).versions] == ["added", "promoted"]


def test_what_was_captured_is_gone_after_a_day_unless_it_matters(quiet_desk: Desk) -> None:
    """CT-7: 24 hours below an importance of 0.8, then for good; what a person said does not end."""
    desk = quiet_desk
    said_so = keep(desk, "The mast is white")
    idle, used = captured(desk, "The boat is red"), captured(desk, "The sail is blue")
    vital = captured(desk, "The hull leaks", importance=0.8)
    desk.clock.advance(23 * HOUR)
    assert handed_out(desk, "The sail is blue", alone=True)
    assert standing(desk) == {said_so, idle, used, vital}
    desk.clock.advance(HOUR)
    assert standing(desk) == {said_so, used, vital}
    desk.clock.advance(12 * HOUR)
    assert standing(desk) == {said_so, vital}
    assert desk.run("upkeep").expired == 2
    desk.run("restore", id=(idle,))
    desk.clock.advance(2 * DAY)
    assert standing(desk) == {said_so, vital, idle}


def test_what_was_in_force_then_is_reported_by_date_and_by_tag(quiet_desk: Desk) -> None:
    """A change of mind: the new decision is shown, the old one where the past is asked for."""
    desk = quiet_desk
    repo = RepoBuilder(desk.place, init=False)

    def release(tag: str) -> None:
        desk.clock.advance(WEEK)
        repo.commit(f"Release {tag}", when=f"{desk.clock.now() // 1000} +0000")
        repo.git("tag", tag)
        desk.clock.advance(WEEK)

    release("v1.0")
    old = desk.run("decide", title="Cache in Redis", why="It is there").id
    between = desk.clock.now() + DAY
    release("v2.0")
    mid = desk.run("decide", title="Cache in memory", why="Faster", supersedes=old).id
    release("v3.0")
    new = desk.run("decide", title="Cache nothing", why="Simpler", supersedes=mid).id
    desk.clock.advance(DAY)

    def in_force(as_of: str = "") -> list[tuple[str, str]]:
        found = desk.run("recall", query="cache", as_of=as_of).memories
        return [(item.id, item.state) for item in found]

    assert in_force() == [(new, "active")]
    assert in_force("v1.0") == []
    assert in_force("v2.0") == in_force(day_of(between)) == [(old, "active")]
    assert in_force("v3.0") == [(mid, "active")]
    assert [memory.id for memory in desk.run("list", as_of="v2.0").memories] == [old]
    assert {memory.id for memory in desk.run("recall", query="cache", state=("any",)).memories} == {
        old,
        mid,
        new,
    }
    for id in (old, mid, new):
        line = desk.run("related", id=id, lineage=True)
        assert [item.id for item in line.items] == [old, mid, new]
    output = desk.text("related", id=mid, lineage=True).split("\n")
    assert ["superseded" in item for item in output] == [True, True, False]
    assert output[1].startswith("* ") and "Cache in memory" in output[1]
    assert desk.run("show", id=old).memory.superseded_by == mid


def day_of(ms: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(ms // 1000))


# --- strangers ----------------------------------------------------------------------------------


def test_what_a_stranger_wrote_is_reported_at_the_start_only_once_it_is_accepted(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    """From one repository to another; provenance stays, trust is given by a person."""
    theirs = small_repo(tmp_path / "theirs")
    stranger = Program(theirs.home, theirs.path, **QUIET)
    stranger("init", "--no-index", "--no-hooks")
    output = (
        "Hats are priced in cents",
        "-k",
        "convention",
        "--path",
        "src/cart/cart.py:1",
        "--pin",
    )
    stranger("remember", *output)
    stranger("decide", "Sell scarves too", "--why", "Winter")
    stranger("export", str(tmp_path / "theirs.jsonl"))

    mine = Program(repo.home, repo.path, **QUIET)
    mine("init", "--no-index", "--no-hooks")
    assert mine("import", str(tmp_path / "theirs.jsonl"), "--json").json["added"] == 2
    assert mine("import", str(tmp_path / "theirs.jsonl"), "--json").json["unchanged"] == 2
    (found,) = mine("recall", "hats priced", "--json").json["memories"]
    assert (found["trust"], found["visibility"]) == ("foreign", "here")
    assert "foreign" in mine("recall", "hats priced").out.split("\n")[0]
    oriented = mine("orient").out
    assert "Hats are priced" not in oriented and "scarves" not in oriented

    mine.refused(5, "conflict", "trust", found["id"], "--agent", "codex")
    assert "Hats are priced" not in mine("orient").out
    assert mine("trust", found["id"]).status == 0
    oriented = mine("orient").out
    assert "Hats are priced in cents" in oriented and "scarves" not in oriented
    now = mine("show", found["id"], "--json").json["memory"]
    assert now["trust"] == "accepted"
    assert (now["source"], now["agent"]) == (found["source"], found["agent"])
    mine("trust", found["id"], "--as", "foreign")
    assert "Hats are priced" not in mine("orient").out


# --- what cannot be -----------------------------------------------------------------------------


@pytest.fixture
def odd(repo: RepoBuilder, ready: SetUp) -> Program:
    """A repository with a binary file, a folder, a submodule, and no hooks."""
    ready(Desk(repo.path, repo.home), no_index=True, no_hooks=True)
    repo.commit("Draw", {"logo.png": "\x89PNG\r\n\x1a\n\0\0\0", "src/server.py": SERVER})
    return Program(repo.home, repo.path, **QUIET)


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("src/server.py:15-99", "16 lines"),
        ("src/server.py:9-4", ""),
        ("src/server.py:0-3", ""),
        ("src/server.py::Client", "Client"),
        ("logo.png:1-2", "binary"),
        ("src:1", "folder"),
        ("../outside.py", ""),
    ],
)
def test_a_place_that_cannot_be_is_refused_and_nothing_is_stored(
    odd: Program, place: str, words: str
) -> None:
    refused = odd.refused(2, "invalid", "remember", "It matters", "--path", place)
    assert words in refused.error["message"]
    assert odd("list", "--state", "any", "--json").json["memories"] == []


@pytest.mark.parametrize(
    "place", ["nowhere.py", "nowhere.py:3-4", "nowhere.py::Server", "logo.png"]
)
def test_a_place_that_nothing_can_be_reported_is_kept_with_a_note(odd: Program, place: str) -> None:
    """Never reported as fresh on hope: a missing path is unknown until it is re-anchored."""
    done = odd("remember", "It matters", "--path", place, "--json").json
    (item,) = odd("verify", done["id"], "--json").json["items"]
    expected = "fresh" if place == "logo.png" else "unknown"
    assert (item["freshness"], bool(done["notes"])) == (expected, expected == "unknown")


def test_a_file_that_turns_binary_or_into_a_folder_is_never_fresh(
    odd: Program, repo: RepoBuilder
) -> None:
    id = odd("remember", "It starts", "--path", "src/server.py:10-13", "--json").json["id"]

    def word() -> str:
        return str(odd("show", id, "--json").json["memory"]["freshness"])

    assert word() == "fresh"
    (repo.path / "src/server.py").write_bytes(SERVER.encode() + b"\0\0\1")
    assert word() == "unknown"
    (repo.path / "src/server.py").unlink()
    repo.write({"src/server.py/start.py": "import os\n"})
    assert word() == "gone"
    odd.refused(5, "conflict", "verify", id, "--accept")
    assert odd("show", id, "--json").json["memory"]["version"] == 1


def test_a_file_in_a_submodule_is_unknown_and_stated_to_be(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    lib = RepoBuilder(tmp_path / "lib", home=repo.home)
    lib.commit("Start", {"lib.py": "x = 1\n"})
    repo.git("submodule", "add", "-q", f"file://{lib.path}", "lib")
    repo.commit("Take in the library")
    program = Program(repo.home, repo.path, **QUIET)
    program("init", "--no-index", "--no-hooks")
    done = program("remember", "It has an x", "--path", "lib/lib.py:1", "--json").json
    assert "submodule" in done["notes"][0]
    (item,) = program("verify", done["id"], "--json").json["items"]
    assert item["freshness"] == "unknown"
    program.refused(5, "conflict", "verify", done["id"], "--accept")


def test_a_clock_that_goes_back_ends_and_archives_nothing(quiet_desk: Desk) -> None:
    desk = quiet_desk
    desk.run("session start", goal="Make the cart faster")
    noted = keep(desk, "The queue is hot", layer="working")
    note = keep(desk, "The printer is slow")
    old = desk.run("decide", title="Cache in Redis").id
    desk.clock.advance(-400 * DAY)
    new = desk.run("decide", title="Cache nothing", supersedes=old).id
    done = desk.run("upkeep")
    assert (done.expired, done.faded) == (0, 0)
    assert standing(desk) == {noted, note, new}
    assert [item.id for item in desk.run("related", id=new, lineage=True).items] == [old, new]
    assert desk.run("orient").text
    desk.clock.advance(400 * DAY)
    assert standing(desk) == {noted, note, new}


def test_a_bulk_command_tells_of_each_item(odd: Program) -> None:
    id = odd("remember", "It starts", "--path", "src/server.py:10-13", "--json").json["id"]
    done = odd("verify", id, "ZZZZZZZZ", "--accept", "--json", status=1).json
    assert [bool(item["error"]) for item in done["items"]] == [False, True]
    assert odd("show", id, "--json").json["memory"]["version"] == 2
    done = odd("forget", id, "ZZZZZZZZ", "--json", status=1).json
    assert [bool(item["error"]) for item in done["items"]] == [False, True]


LINES = b'{"content": "One", "paths": ["src/server.py:1"]}\n{"content": "Two", "paths": [%s]}\n'


@pytest.mark.parametrize("place", [b'"src/server.py:900"', b'"src/server.py::Client"'])
def test_a_line_of_a_batch_that_cites_what_cannot_be_is_reported(
    odd: Program, place: bytes
) -> None:
    refused = odd("remember", "-", "--atomic", "--json", stdin=LINES % place, status=2)
    assert refused.error["code"] == "invalid"
    assert contents(odd) == set()
    output = odd("remember", "-", "--json", stdin=LINES % place, status=1).json
    assert [bool(item["error"]) for item in output["items"]] == [False, True]
    assert contents(odd) == {"One"}


def test_a_loop_of_supersession_is_refused(program: Program, desk: Desk) -> None:
    first = desk.run("decide", title="Use MySQL").id
    second = desk.run("decide", title="Use Postgres", supersedes=first).id
    third = desk.run("decide", title="Use SQLite", supersedes=second).id
    for newer in (first, second):
        refused = program.refused(5, "conflict", "link", newer, third, "--as", "SUPERSEDES")
        assert "supersede" in refused.error["message"]
    program.refused(2, "invalid", "link", third, third)
    assert standing(desk) == {third}
    assert standing(desk, "superseded") == {first, second}


def test_a_walk_along_a_cycle_of_links_ends(program: Program, desk: Desk) -> None:
    ring = [keep(desk, f"Cause {number}") for number in range(3)]
    alone = keep(desk, "Nothing to do with it")
    for item, other in zip(ring, ring[1:] + ring[:1], strict=True):
        desk.run("link", source=item, target=other, relation="CAUSES")
    found = program("related", ring[0], "--depth", "4", "--json").json["items"]
    assert {item["id"] for item in found} == set(ring[1:])
    way = program("related", ring[0], "--to", ring[2], "--json").json
    assert [item["hop"] for item in way["items"]] == [1]
    apart = program("related", ring[0], "--to", alone, "--json").json
    assert (apart["found"], apart["items"]) == (False, [])


def test_a_memory_outlives_the_commit_it_was_born_at(repo: RepoBuilder) -> None:
    """The branch deleted, its commits collected: elsewhere, and never lost."""
    program = Program(repo.home, repo.path, **QUIET)
    program("init", "--no-index", "--no-hooks")
    repo.branch("draft")
    born = repo.commit("Try it", {"try.py": "x = 1\n"})
    id = program("remember", "Trying was no use", "--path", "try.py:1", "--json").json["id"]
    repo.switch("main")
    repo.git("branch", "-q", "-D", "draft")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    assert "missing" in repo.git("cat-file", "--batch-check", stdin=f"{born}\n".encode())
    assert contents(program) == set()
    assert contents(program, "--all-branches") == {"Trying was no use"}
    shown = program("show", id, "--json").json["memory"]
    assert (shown["visibility"], shown["freshness"]) == ("elsewhere", "gone")
    assert program("verify", id).status == program("orient").status == 0
    program.refused(4, "not_found", "affected", f"{born}..HEAD")
    repo.branch("draft")
    assert contents(program) == {"Trying was no use"}


def test_a_shallow_clone_keeps_the_trunks_memories(repo: RepoBuilder, tmp_path: Path) -> None:
    program = Program(repo.home, repo.path, **QUIET)
    program("init", "--no-index", "--no-hooks")
    program("remember", "The cart has an x", "--path", "src/cart/cart.py:1")
    program("export", str(tmp_path / "own.jsonl"))
    for number in range(3):
        repo.commit(f"Go on {number}", {"notes.md": f"{number}\n"})
    clone = repo.clone(tmp_path / "clone", "--depth", "1")
    there = Program(clone.home, clone.path, **QUIET)
    there("init", "--no-index", "--no-hooks")
    assert there("import", str(tmp_path / "own.jsonl"), "--trust", "--json").json["added"] == 1
    (item,) = there("list", "--json").json["memories"]
    assert (item["visibility"], item["trust"]) == ("here", "person")
    assert "This clone is shallow" in there("orient").out
    there.refused(4, "not_found", "affected", "HEAD~3..HEAD")
