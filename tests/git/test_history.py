from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.errors import NotFound, Unavailable
from gitmem.git import history
from tests.support.repos import RepoBuilder
from tests.support.tables import table


def subjects(repo: RepoBuilder, **options: object) -> list[str]:
    return [commit.subject for commit in history.list_commits(str(repo.path), **options)]  # type: ignore[arg-type]


@pytest.fixture
def story(repo: RepoBuilder) -> RepoBuilder:
    """First, Second, then a merge of branch ``side`` (one commit, by Grace)."""
    repo.commit("First", {"a": "1\n"})
    repo.commit("Second\n\nBecause of ada@example.org.", {"b": "2\n"})
    repo.branch("side")
    repo.commit("Aside", {"c": "3\n"}, author="Grace Hopper <grace@example.org>")
    repo.switch("main")
    repo.merge("side")
    return repo


def test_commits_tell_everything_but_addresses(story: RepoBuilder) -> None:
    merge, aside, second, first = history.list_commits(str(story.path), with_paths=True)
    assert merge.sha == story.head()
    assert merge.parents == (second.sha, aside.sha)
    assert (aside.author, aside.paths) == ("Grace Hopper", ("c",))
    assert (second.body, second.paths) == ("Because of [email].", ("b",))
    assert (first.parents, first.paths) == ((), ("a",))
    assert second.committed_time - first.committed_time == 60
    assert first.author_time == first.committed_time


def test_ranges_and_limits(story: RepoBuilder) -> None:
    first = story.git("rev-parse", "HEAD~2")
    assert subjects(story, limit=1) == ["Merge branch 'side'"]
    assert subjects(story, since_commit=first) == ["Merge branch 'side'", "Aside", "Second"]
    assert subjects(story, until="side", since_commit="HEAD~1") == ["Aside"]
    assert subjects(story, first_parent_only=True) == ["Merge branch 'side'", "Second", "First"]
    assert subjects(story, merges=True) == ["Merge branch 'side'"]
    assert "Merge branch 'side'" not in subjects(story, merges=False)
    assert subjects(story, author="Grace") == ["Aside"]
    assert subjects(story, author="G.*e") == []


def test_since_a_time(story: RepoBuilder) -> None:
    when = history.commit_time(str(story.path), "side")
    assert subjects(story, since_seconds=when) == ["Merge branch 'side'", "Aside"]
    assert subjects(story, since_seconds=10**30) == []
    assert len(subjects(story, since_seconds=-(10**30))) == 4


def test_merge_shows_what_it_brought_along_the_first_parent(story: RepoBuilder) -> None:
    merge = next(
        iter(history.list_commits(str(story.path), first_parent_only=True, with_paths=True))
    )
    assert merge.paths == ("c",)


def test_unborn_branch_has_an_empty_log(repo: RepoBuilder) -> None:
    cwd = str(repo.path)
    assert list(history.list_commits(cwd)) == []
    assert history.latest_release_tag(cwd) is None
    assert history.root_commits(cwd) == ()
    assert history.commit_time(cwd, "HEAD") is None


def test_unknown_revisions_are_reported_at_once(story: RepoBuilder) -> None:
    with pytest.raises(NotFound, match="nosuch"):
        history.list_commits(str(story.path), until="nosuch")
    with pytest.raises(NotFound):  # a full id is checked by the walk itself
        next(history.list_commits(str(story.path), since_commit="0" * 40))
    with pytest.raises(NotFound):
        next(history.list_commits(str(story.path), until="1" * 40))


def test_empty_commit_and_octopus(story: RepoBuilder) -> None:
    story.commit("Nothing")
    for name in ("one", "two"):
        story.git("checkout", "-q", "-b", name, "main")
        story.commit(name, {name: ""})
    story.switch("main")
    story.merge("one", "two", message="Merge branches 'one' and 'two'")
    octopus, *_ = history.list_commits(str(story.path), with_paths=True)
    assert len(octopus.parents) == 3
    assert history.merged_branch_names(history.list_commits(str(story.path))) == (
        "one",
        "two",
        "side",
    )


def test_rename_shows_both_paths_and_mode_change_one(story: RepoBuilder) -> None:
    story.git("mv", "a", "z")
    story.commit("Move")
    (story.path / "z").chmod(0o755)
    story.commit("Make it run")
    mode, move, *_ = history.list_commits(str(story.path), with_paths=True)
    assert (mode.paths, move.paths) == (("z",), ("a", "z"))


def test_strange_paths_and_messages_come_back_whole(repo: RepoBuilder) -> None:
    names = ["-dash", "\nfirst", "a\nb", "b\udcff", "tab\t"]
    repo.commit("Odd \x1f one", dict.fromkeys(names, "x"))
    (commit,) = history.list_commits(str(repo.path), with_paths=True)
    assert commit.subject == "Odd \x1f one"
    assert sorted(commit.paths) == sorted(names)


def test_settings_do_not_change_the_answer(story: RepoBuilder) -> None:
    plain = list(history.list_commits(str(story.path), with_paths=True))
    (story.path / "order").write_text("b\n")
    for key, value in [
        ("log.showRoot", "false"),
        ("log.follow", "true"),
        ("log.decorate", "full"),
        ("log.date", "iso"),
        ("log.mailmap", "false"),
        ("color.ui", "always"),
        ("diff.orderFile", "nosuch"),
        ("diff.noprefix", "true"),
        ("diff.relative", "true"),
        ("i18n.logOutputEncoding", "latin1"),
        ("format.pretty", "oneline"),
        ("core.quotePath", "true"),
    ]:
        story.git("config", key, value)
    assert list(history.list_commits(str(story.path), with_paths=True)) == plain


@pytest.mark.parametrize("date", ["@0 +0000", "@4102444800 +0000"])
def test_far_dates(repo: RepoBuilder, date: str) -> None:
    repo.commit("Far", when=date)
    (commit,) = history.list_commits(str(repo.path))
    assert commit.committed_time == int(date[1:].split()[0])


def test_absurd_dates_in_the_object_itself(repo: RepoBuilder) -> None:
    tree = repo.git("mktree")
    who = "Ada <ada@example.org>"
    for seconds, expected in [("99999999999999", history.LATEST), ("-86400", 0)]:
        raw = f"tree {tree}\nauthor {who} {seconds} +0000\ncommitter {who} {seconds} +0000\n\nx\n"
        stored = ["hash-object", "-t", "commit", "-w", "--stdin", "--literally"]
        sha = repo.git(*stored, stdin=raw.encode())
        (commit,) = history.list_commits(str(repo.path), until=sha)
        assert 0 <= commit.committed_time <= expected


def test_commit_that_is_gone_after_garbage_collection(story: RepoBuilder) -> None:
    gone = story.commit("Soon gone")
    story.git("reset", "-q", "--hard", "HEAD~1")
    story.git("reflog", "expire", "--expire=now", "--all")
    story.git("gc", "-q", "--prune=now")
    assert history.resolve_commit(str(story.path), gone) is None
    assert history.commit_time(str(story.path), gone) is None


def test_revisions_that_name_a_commit(story: RepoBuilder) -> None:
    story.git("tag", "-a", "-m", "one", "v1")
    story.git("branch", "größe")
    for rev in ("HEAD", "main", "v1", "@", "größe", story.head()[:12], story.head(), "side^{/Asi}"):
        assert history.resolve_commit(str(story.path), rev) is not None, rev


@table(
    "rev",
    [
        "",
        "-h",
        "--version",
        "--all",
        "--output=evil",
        "^HEAD",
        "HEAD..side",
        "HEAD^{tree}",
        "HEAD:a",
        "a b",
        "HEAD\n",
        "nul\0",
        "\udcff",
        "\ud800",
        "x" * 5000,
        "HEAD@{99999}",
        "@{u}",
        "0" * 40,
        ":/nosuch",
        "$(touch evil)",
    ],
)
def test_text_that_names_no_commit(story: RepoBuilder, rev: str) -> None:
    """Leading dashes, ranges, trees, control characters: never an option, never an error."""
    assert history.resolve_commit(str(story.path), rev) is None
    assert not (story.path / "evil").exists()


def test_blob_and_tree_ids_are_no_commits(story: RepoBuilder) -> None:
    for rev in ("HEAD:a", "HEAD^{tree}"):
        assert history.resolve_commit(str(story.path), story.git("rev-parse", rev)) is None


def test_broken_repository_is_not_taken_for_an_unknown_revision(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="not a git repository"):
        history.resolve_commit(str(tmp_path), "HEAD")


def test_latest_tag_prefers_releases(story: RepoBuilder) -> None:
    cwd = str(story.path)
    assert history.latest_release_tag(cwd) is None
    story.git("tag", "2.0.dev0")
    assert history.latest_release_tag(cwd) == "2.0.dev0"
    story.git("tag", "v1.0", "HEAD~1")
    story.git("tag", "latest")
    story.git("tag", "v2.0-rc.1")
    assert history.latest_release_tag(cwd) == "v1.0"
    story.git("tag", "-a", "-m", "two", "pkg@2.0.0")
    assert history.latest_release_tag(cwd) == "pkg@2.0.0"


def test_root_commits_are_sorted_by_age(story: RepoBuilder) -> None:
    first = story.git("rev-list", "--max-parents=0", "HEAD")
    story.git("checkout", "-q", "--orphan", "pages")
    pages = story.commit("Pages")
    assert [sha for _, sha in history.root_commits(str(story.path))] == [first, pages]


def test_root_commits_when_detached(story: RepoBuilder) -> None:
    story.git("checkout", "-q", "--detach")
    story.git("branch", "-D", "main", "side")
    assert len(history.root_commits(str(story.path))) == 1


def test_reader_that_stops_leaves_no_process(story: RepoBuilder) -> None:
    stream = history.list_commits(str(story.path))
    assert next(stream).subject
    stream.close()  # type: ignore[attr-defined]


def partial(repo: RepoBuilder, path: Path, kind: str) -> RepoBuilder:
    """A clone that left objects at its remote, to be fetched when somebody looks at them."""
    repo.git("config", "uploadpack.allowFilter", "true")
    return repo.clone(path, f"--filter={kind}", "--no-checkout")


def objects(repo: RepoBuilder) -> str:
    return repo.git("count-objects", "-v")


@pytest.mark.parametrize("kind", ["blob:none", "tree:0"])
def test_partial_clone_is_not_filled_up(story: RepoBuilder, tmp_path: Path, kind: str) -> None:
    clone = partial(story, tmp_path / "partial", kind)
    before = objects(clone)
    output = list(history.list_commits(str(clone.path), with_paths=True))
    assert [commit.subject for commit in output] == subjects(story)
    assert ("a",) in [commit.paths for commit in output] or kind == "tree:0"
    assert history.latest_release_tag(str(clone.path)) is None
    assert history.resolve_commit(str(clone.path), "1" * 40) is None
    assert objects(clone) == before
    clone.git("log", "-p")  # the user's own git does fetch: the test can fail
    assert objects(clone) != before


def test_damaged_history_is_reported(story: RepoBuilder) -> None:
    sha = story.git("rev-parse", "HEAD~1")
    (story.path / ".git/objects" / sha[:2] / sha[2:]).unlink()
    with pytest.raises(Unavailable, match="git log failed"):
        list(history.list_commits(str(story.path)))


def test_bare_repository(story: RepoBuilder, tmp_path: Path) -> None:
    bare = story.clone(tmp_path / "bare.git", "--bare")
    assert subjects(bare) == subjects(story)
    assert history.resolve_commit(str(bare.path), "HEAD") == story.head()


def test_borrowed_objects(story: RepoBuilder, tmp_path: Path) -> None:
    story.git("clone", "-q", "--shared", str(story.path), str(tmp_path / "clone"))
    clone = RepoBuilder(tmp_path / "clone", init=False, home=story.home)
    assert (clone.path / ".git/objects/info/alternates").exists()
    assert subjects(clone) == subjects(story)


def test_mailmap_names_the_author(story: RepoBuilder) -> None:
    (story.path / ".mailmap").write_text("Admiral Hopper <grace@example.org>\n")
    (aside,) = history.list_commits(str(story.path), until="side", limit=1)
    assert aside.author == "Admiral Hopper"
