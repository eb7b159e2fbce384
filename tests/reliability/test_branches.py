"""A memory is seen where its branch's work is, and nowhere else: twelve ways in which work moves.

Real repositories, real hooks, the drain run in this process. Each shape builds a history and says
something on the way; ``TABLE`` tells, for each place that can be checked out afterwards, what is to
be seen there and what is not. 0 leaks, 0 losses: both sets are exact, a rule said on some branch
is seen everywhere, and with all branches nothing is ever missing.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gitmem.branches import visible_here
from gitmem.freshness import anchoring
from gitmem.githooks import installer
from gitmem.store.db import seals
from gitmem.store.memory import anchors, memories
from gitmem.store.memory.branch_visibility import EVERYWHERE
from tests.support import moved
from tests.support.apps import HOUR, Desk, copy_of
from tests.support.repos import RepoBuilder

NOBODY = ("/nonexistent/gitmem-for-tests",)
TEXT = "".join(f"line {number}\n" for number in range(40))


class Story:
    """A repository with hooks in which things are done and said, some in other work trees."""

    def __init__(self, repo: RepoBuilder) -> None:
        self.repo = repo
        self.desk = Desk(
            repo.path,
            repo.home,
            GITMEM_MODEL="hashed",
            GITMEM_BACKUP_INTERVAL_HOURS="0",
            GITMEM_COPY_MODE="off",
        )
        self.places: dict[str, Path] = {}

    def begin(self) -> None:
        """Set up, and lay the ground that every shape begins on."""
        repo = self.repo
        self.desk.run("init", no_hooks=True, no_index=True)
        app = self.desk.app()
        # Real hooks that note what git does; the drain is ours to run.
        installer.install_hooks(
            app.layout,
            NOBODY,
            known_git_version=(2, 39),
            token=seals.derive_log_line_token(app.signing_key),
        )
        app.close()
        self.commit("app.py", TEXT)
        self.say("ground")
        # Conventions and workflows of a branch that is never merged hold everywhere.
        repo.branch("stray")
        self.commit("stray.py")
        for kind in EVERYWHERE:
            self.say(kind, kind=kind)
        repo.switch("main")

    def commit(self, name: str, text: str = "", repo: RepoBuilder | None = None) -> str:
        return (repo or self.repo).commit(f"Write {name}", {name: text or f"{name} is here\n"})

    def say(self, text: str, *, place: Path | None = None, **options: Any) -> str:
        """Remember something where HEAD stands."""
        self.desk.clock.advance(HOUR)
        return str(self.desk.run("remember", text=text, place=place, **options).id)

    def branch(self, *names: str) -> None:
        """The branch ``side``, with a commit and a memory for each name."""
        self.repo.branch("side")
        for name in names:
            self.commit(f"{name}.py")
            self.say(name)

    def drain(self) -> None:
        self.desk.run("drain")

    def collect(self) -> None:
        """Let git forget everything that no branch holds."""
        self.repo.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
        self.repo.git("gc", "-q", "--prune=now")

    def seen(self, place: Path | None = None, *, everything: bool = False) -> set[str]:
        """What is to be seen in a work tree as it stands, by the condition that reads use."""
        app = self.desk.app(place=place)
        try:
            hidden = (
                visible_here.EVERYTHING
                if everything
                else visible_here.hidden_memories(app, app.store)
            )
            clause, values = hidden.visible_sql_condition()
            rows = app.store.rows(f"SELECT m.content FROM memories AS m WHERE {clause}", (*values,))
            return {row[0] for row in rows}
        finally:
            app.close()


def unmerged(story: Story) -> None:
    story.branch("alpha", "beta")
    story.repo.switch("main")
    story.commit("other.py")
    story.say("meanwhile")


def merged(story: Story) -> None:
    unmerged(story)
    story.repo.merge("side")


def fast_forwarded(story: Story) -> None:
    story.branch("alpha")
    story.repo.switch("main")
    story.repo.git("merge", "-q", "--ff-only", "side")


def squashed(story: Story) -> None:
    """The branch changed a line, and so did main, next to it: the same patch elsewhere."""
    story.repo.branch("side")
    story.commit("app.py", TEXT.replace("line 20\n", "line twenty\n"))
    story.say("alpha")
    story.commit("beta.py")
    story.say("beta")
    story.repo.switch("main")
    story.commit("app.py", TEXT.replace("line 18\n", "line eighteen\n"))
    story.repo.git("merge", "-q", "--squash", "side")
    story.repo.git("commit", "-q", "-m", "All of side (#7)")
    story.drain()


def squashed_and_gone(story: Story) -> None:
    squashed(story)
    story.repo.git("branch", "-q", "-D", "side")
    story.collect()


def squashed_then_continued(story: Story) -> None:
    squashed(story)
    story.repo.switch("side")
    story.commit("gamma.py")
    story.say("gamma")
    story.repo.switch("main")


def amended_and_squashed(story: Story) -> None:
    story.branch("alpha")
    story.repo.write({"alpha.py": "amended\n"})
    story.repo.git("commit", "-q", "-a", "--amend", "-m", "Better")
    story.drain()
    story.repo.switch("main")
    story.commit("other.py")
    story.repo.git("merge", "-q", "--squash", "side")
    story.repo.git("commit", "-q", "-m", "Squashed")
    story.drain()
    story.repo.git("branch", "-q", "-D", "side")
    story.collect()


def rebased(story: Story) -> None:
    unmerged(story)
    story.repo.switch("side")
    story.repo.git("rebase", "-q", "main")
    story.drain()
    story.repo.switch("main")
    story.repo.git("merge", "-q", "--ff-only", "side")
    story.repo.git("branch", "-q", "-d", "side")
    story.collect()


def rebased_twice_then_squashed(story: Story) -> None:
    unmerged(story)
    for name in ("one.py", "two.py"):
        story.repo.switch("main")
        story.commit(name)
        story.repo.switch("side")
        story.repo.git("rebase", "-q", "main")
        story.drain()
    story.repo.switch("main")
    story.repo.git("merge", "-q", "--squash", "side")
    story.repo.git("commit", "-q", "-m", "Squashed")
    story.drain()
    story.repo.git("branch", "-q", "-D", "side")
    story.collect()


def dropped(story: Story) -> None:
    """`rebase --onto` leaves beta's commit out."""
    story.branch("alpha", "beta", "gamma")
    story.repo.git("rebase", "-q", "--onto", "HEAD~2", "HEAD~1")
    story.drain()
    story.repo.switch("main")
    story.repo.merge("side")
    story.drain()


def amended(story: Story) -> None:
    story.branch("alpha")
    for text in ("once\n", "twice\n"):
        story.repo.write({"alpha.py": text})
        story.repo.git("commit", "-q", "-a", "--amend", "-m", "Better")
    story.drain()
    story.repo.switch("main")
    story.repo.merge("side")
    story.collect()


def cherry_picked(story: Story) -> None:
    story.branch("alpha", "beta")
    story.repo.switch("main")
    story.commit("other.py")
    story.repo.git("cherry-pick", "side~1")
    story.drain()


def reverted(story: Story) -> None:
    merged(story)
    story.repo.git("revert", "--no-edit", "-m", "1", "HEAD")
    story.drain()


def forced(story: Story) -> None:
    """A teammate rebases the branch on main and pushes it by force; we take theirs."""
    repo = story.repo
    story.branch("alpha", "beta")
    hub = RepoBuilder(repo.path.parent / "hub.git", "--bare", home=repo.home)
    repo.git("remote", "set-url", "origin", f"file://{hub.path}")
    repo.git("push", "-q", "origin", "main", "side")
    mate = hub.clone(repo.path.parent / "mate")
    mate.switch("main")
    story.commit("mate.py", repo=mate)
    mate.switch("side")
    mate.git("rebase", "-q", "main")
    mate.git("push", "-q", "--force", "origin", "main", "side")
    repo.git("fetch", "-q")
    repo.git("reset", "-q", "--hard", "origin/side")


def forced_and_merged(story: Story) -> None:
    forced(story)
    story.repo.switch("main")
    story.repo.git("merge", "-q", "--ff-only", "origin/side")
    story.drain()
    story.repo.git("branch", "-q", "-D", "side")
    story.collect()


def forgotten(story: Story) -> None:
    unmerged(story)
    story.drain()
    story.repo.git("branch", "-q", "-D", "side")
    story.collect()


def two_trees(story: Story) -> None:
    linked = story.repo.worktree(story.repo.path.parent / "linked", "side")
    story.places["linked"] = linked.path
    story.commit("alpha.py", repo=linked)
    story.say("alpha", place=linked.path)
    story.commit("other.py")
    story.say("meanwhile")


def detached(story: Story) -> None:
    unmerged(story)
    story.repo.git("tag", "fork", "main~1")
    story.repo.git("tag", "first", "side~1")
    story.repo.git("checkout", "-q", "--detach")
    story.commit("loose.py")
    story.say("loose")
    story.repo.git("tag", "loose")


def alike(story: Story) -> None:
    """Two branches write the same file; one memory stands on its lines, the other on nothing."""
    story.repo.branch("side")
    story.repo.write({"own.py": "y = 2\n"})
    story.commit("alpha.py")
    story.say("alpha")
    anchored(story, story.say("lines", path=("alpha.py:1-1",)))
    story.repo.git("checkout", "-q", "-b", "twin", "main")
    story.commit("other.py")
    story.repo.write({"alpha.py": "\t alpha.py  is here\n\nand more\n"})
    story.repo.git("add", "-A")
    story.repo.git("commit", "-q", "-m", "The same and more")
    assert story.seen() == {"ground", *EVERYWHERE}
    story.drain()


def anchored(story: Story, id: str) -> None:
    """Let a memory stand on what it cites."""
    app = story.desk.app()
    with app.store.write() as store:
        memory = memories.get_memory(store, id)
        assert memory is not None
        anchors.replace_anchors(store, id, anchoring.make_code_anchors(app, memory).anchors)
    app.close()


def squashed_unnoticed(story: Story) -> None:
    """No drain ran in between: the branch is there, so the next drain still finds it."""
    squashed(story)
    story.repo.git("branch", "-q", "-D", "side")
    story.repo.switch("main")


def independent(story: Story) -> None:
    """Main changes the same places in its own way: nothing of the branch came over."""
    story.branch("alpha", "beta")
    story.repo.switch("main")
    story.commit("alpha.py", "something else\n")
    story.commit("beta.py", "\n")
    story.drain()


def begun(story: Story) -> None:
    """Something is noted on a branch that has no commit of its own yet."""
    story.repo.branch("side")
    story.say("early")


def begun_in_a_tree(story: Story) -> None:
    linked = story.repo.worktree(story.repo.path.parent / "linked", "side")
    story.places["linked"] = linked.path
    story.say("early", place=linked.path)


def begun_twice(story: Story) -> None:
    begun(story)
    story.repo.switch("main")
    story.repo.branch("twin")
    story.say("other")


def begun_on_side(story: Story) -> None:
    """A branch of a branch: what is noted is of neither."""
    story.branch("alpha")
    story.repo.branch("upper")
    story.say("early")


def begun_and_followed(story: Story) -> None:
    """Main went on, and the branch with it, before it had a commit."""
    begun(story)
    story.repo.switch("main")
    story.commit("other.py")
    story.repo.switch("side")
    story.repo.git("merge", "-q", "--ff-only", "main")
    story.say("later")


def begun_then_committed(story: Story) -> None:
    begun(story)
    story.commit("alpha.py")
    story.drain()


def begun_then_merged(story: Story) -> None:
    begun_then_committed(story)
    story.repo.switch("main")
    story.commit("other.py")
    story.repo.merge("side")


def begun_then_forwarded_unread(story: Story) -> None:
    """Nobody read in between, and the branch is gone with its log: that of HEAD tells."""
    begun(story)
    story.commit("alpha.py")
    story.repo.switch("main")
    story.repo.git("merge", "-q", "--ff-only", "side")
    story.repo.git("branch", "-q", "-d", "side")


def begun_then_squashed(story: Story) -> None:
    begun_and_followed(story)
    story.commit("alpha.py")
    story.drain()
    story.repo.switch("main")
    story.commit("more.py")
    story.repo.git("merge", "-q", "--squash", "side")
    story.repo.git("commit", "-q", "-m", "Squashed")
    story.drain()
    story.repo.git("branch", "-q", "-D", "side")
    story.collect()


def begun_then_amended(story: Story) -> None:
    begun_then_committed(story)
    story.repo.write({"alpha.py": "amended\n"})
    story.repo.git("commit", "-q", "-a", "--amend", "-m", "Better")
    story.drain()
    story.repo.switch("main")
    story.repo.merge("side")


def begun_then_rebased(story: Story) -> None:
    begun(story)
    story.repo.switch("main")
    story.commit("other.py")
    story.repo.switch("side")
    story.repo.git("rebase", "-q", "main")


def begun_then_gone(story: Story) -> None:
    begun(story)
    story.repo.switch("main")
    story.repo.git("branch", "-q", "-D", "side")


def begun_committed_and_gone(story: Story) -> None:
    begun_then_committed(story)
    story.repo.switch("main")
    story.repo.git("branch", "-q", "-D", "side")
    story.collect()


def begun_then_renamed(story: Story) -> None:
    begun(story)
    story.repo.git("branch", "-q", "-m", "side", "feat/new")


def begun_renamed_and_merged(story: Story) -> None:
    begun_then_renamed(story)
    story.commit("alpha.py")
    story.repo.switch("main")
    story.repo.merge("feat/new")


def begun_detached(story: Story) -> None:
    """A detached HEAD has no name to be bound to."""
    story.repo.git("checkout", "-q", "--detach")
    story.say("loose")


def begun_from_remote(story: Story) -> None:
    """A branch that is fetched has its own commits; one that starts at another's has none."""
    repo = story.repo
    story.branch("alpha")
    hub = RepoBuilder(repo.path.parent / "hub.git", "--bare", home=repo.home)
    repo.git("remote", "set-url", "origin", f"file://{hub.path}")
    repo.git("push", "-q", "origin", "main", "side")
    repo.switch("main")
    repo.git("branch", "-q", "-D", "side")
    repo.git("checkout", "-q", "-b", "side", "origin/side")
    story.say("theirs")
    repo.git("checkout", "-q", "-b", "topic", "origin/main")
    story.say("early")


def begun_from_remote_then_merged(story: Story) -> None:
    begun_from_remote(story)
    story.repo.switch("main")
    story.repo.merge("side")


def begun_without_logs(story: Story) -> None:
    """What cannot be known hides nothing."""
    story.repo.git("config", "core.logAllRefUpdates", "false")
    begun(story)


# Shape, where HEAD is put, what is seen there, what is not.
TABLE: tuple[tuple[Callable[[Story], None], str, str, str], ...] = (
    (unmerged, "main", "ground meanwhile", "alpha beta"),
    (unmerged, "side", "ground alpha beta", "meanwhile"),
    (merged, "main", "ground meanwhile alpha beta", ""),
    (merged, "side", "ground alpha beta", "meanwhile"),
    (fast_forwarded, "main", "ground alpha", ""),
    (squashed, "main", "ground alpha beta", ""),
    (squashed, "side", "ground alpha beta", ""),
    (squashed, "main~1", "ground", "alpha beta"),
    (squashed_and_gone, "main", "ground alpha beta", ""),
    (squashed_and_gone, "main~1", "ground", "alpha beta"),
    (squashed_then_continued, "main", "ground alpha beta", "gamma"),
    (squashed_then_continued, "side", "ground alpha beta gamma", ""),
    (squashed_unnoticed, "main", "ground alpha beta", ""),
    (amended_and_squashed, "main", "ground alpha", ""),
    (rebased, "main", "ground meanwhile alpha beta", ""),
    (rebased, "main~1", "ground meanwhile alpha", "beta"),
    (rebased_twice_then_squashed, "main", "ground meanwhile alpha beta", ""),
    (rebased_twice_then_squashed, "main~1", "ground meanwhile", "alpha beta"),
    (dropped, "main", "ground alpha gamma", "beta"),
    (dropped, "side", "ground alpha beta gamma", ""),
    (amended, "main", "ground alpha", ""),
    (amended, "main~1", "ground", "alpha"),
    (cherry_picked, "main", "ground alpha", "beta"),
    (cherry_picked, "side", "ground alpha beta", ""),
    (reverted, "main", "ground meanwhile alpha beta", ""),
    (forced, "side", "ground alpha beta", ""),
    (forced, "main", "ground", "alpha beta"),
    (forced_and_merged, "main", "ground alpha beta", ""),
    (forgotten, "main", "ground meanwhile", "alpha beta"),
    (two_trees, "linked", "ground alpha", "meanwhile"),
    (two_trees, "main", "ground meanwhile", "alpha"),
    (detached, "first", "ground alpha", "beta meanwhile loose"),
    (detached, "fork", "ground", "alpha beta meanwhile loose"),
    (detached, "loose", "ground meanwhile loose", "alpha beta"),
    (detached, "main", "ground meanwhile", "alpha beta loose"),
    (alike, "twin", "ground lines", "alpha"),
    (alike, "main", "ground", "alpha lines"),
    (alike, "side", "ground alpha lines", ""),
    (independent, "main", "ground", "alpha beta"),
    (begun, "main", "ground", "early"),
    (begun, "side", "ground early", ""),
    (begun_in_a_tree, "main", "ground", "early"),
    (begun_in_a_tree, "linked", "ground early", ""),
    (begun_twice, "main", "ground", "early other"),
    (begun_twice, "side", "ground early", "other"),
    (begun_twice, "twin", "ground other", "early"),
    (begun_on_side, "side", "ground alpha", "early"),
    (begun_on_side, "upper", "ground alpha early", ""),
    (begun_and_followed, "main", "ground", "early later"),
    (begun_and_followed, "side", "ground early later", ""),
    (begun_then_committed, "main", "ground", "early"),
    (begun_then_committed, "side", "ground early", ""),
    (begun_then_merged, "main", "ground early", ""),
    (begun_then_merged, "main~1", "ground", "early"),
    (begun_then_forwarded_unread, "main", "ground early", ""),
    (begun_then_forwarded_unread, "main~1", "ground", "early"),
    (begun_then_squashed, "main", "ground early later", ""),
    (begun_then_amended, "main", "ground early", ""),
    (begun_then_rebased, "main", "ground", "early"),
    (begun_then_rebased, "side", "ground early", ""),
    (begun_then_gone, "main", "ground", "early"),
    (begun_committed_and_gone, "main", "ground", "early"),
    (begun_then_renamed, "main", "ground", "early"),
    (begun_then_renamed, "feat/new", "ground early", ""),
    (begun_renamed_and_merged, "main", "ground early", ""),
    (begun_renamed_and_merged, "main~1", "ground", "early"),
    (begun_detached, "main", "ground loose", ""),
    (begun_from_remote, "main", "ground", "alpha theirs early"),
    (begun_from_remote, "topic", "ground early", "alpha theirs"),
    (begun_from_remote, "side", "ground alpha theirs", "early"),
    (begun_from_remote_then_merged, "main", "ground alpha theirs", "early"),
    (begun_without_logs, "main", "ground early", ""),
)
SHAPES = list(dict.fromkeys(row[0] for row in TABLE))


@pytest.fixture(scope="module")
def ground(model_repo: RepoBuilder, tmp_path_factory: pytest.TempPathFactory) -> Story:
    """The ground of every story, laid once; nothing is done on it but copied."""
    made = Story(copy_of(model_repo, tmp_path_factory.mktemp("ground")))
    made.begin()
    return made


@pytest.fixture
def story(ground: Story, tmp_path: Path) -> Story:
    moved.copy(ground.repo.path.parent, tmp_path, now=ground.desk.clock.now())
    made = Story(RepoBuilder(tmp_path / "repo", init=False))
    made.repo._now = ground.repo._now
    made.desk.clock.advance(ground.desk.clock.now() - made.desk.clock.now())
    return made


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_what_is_seen_where(story: Story, shape: Callable[[Story], None]) -> None:
    """No leak, no loss; reads alone, and again after a drain."""
    shape(story)
    rows = [row[1:] for row in TABLE if row[0] is shape]
    for where, here, elsewhere in rows:
        place = story.places.get(where)
        if where and not place:
            story.repo.switch(where)
        expected = {*here.split(), *EVERYWHERE}
        assert story.seen(place) == expected, where
        story.drain()
        assert story.seen(place) == expected, f"{where} after a drain"
        assert story.seen(place, everything=True) == expected | {*elsewhere.split()}
