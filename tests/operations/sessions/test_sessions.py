"""Sessions: who started what where, notes, files, ends."""

from __future__ import annotations

import pytest

from gitmem.errors import AmbiguousReference, Conflict, InvalidInput, NotFound
from gitmem.operations.registry import as_json_values
from tests.support.apps import HOUR, MINUTE, Desk
from tests.support.repos import RepoBuilder


def test_a_session_knows_its_agent_branch_commit_and_goal(desk: Desk, repo: RepoBuilder) -> None:
    """ML-2."""
    answer = desk.run("session start", goal="Make the import idempotent", by="codex")
    assert answer.action == "started"
    text = as_json_values(answer.session)
    assert text["agent"] == "codex"
    assert text["branch"] == "main"
    assert text["head_start"] == repo.head()
    assert text["goal"] == "Make the import idempotent"
    assert text["started_at"] == "2026-11-21T08:03:42Z"
    assert text["ended_at"] is None


def test_starting_again_goes_on_with_the_running_session(desk: Desk) -> None:
    first = desk.run("session start", goal="one").session
    desk.clock.advance(HOUR)
    again = desk.run("session start", goal="two")
    assert (again.action, again.session.id, again.session.goal) == ("continued", first.id, "two")
    assert desk.run("session start").session.goal == "two"


def test_two_agents_have_a_session_each(desk: Desk) -> None:
    ids = {desk.run("session start", by=agent).session.id for agent in ("codex", "gemini", "")}
    assert len(ids) == 3
    desk.run("session note", text="by gemini", by="gemini")
    shown = {session.agent: session for session in desk.run("session list").sessions}
    assert [note.text for note in desk.run("session show", id=shown["gemini"].id).notes] == [
        "by gemini"
    ]
    assert desk.run("session show", id=shown["codex"].id).notes == ()
    assert len(desk.run("session list", agent="codex").sessions) == 1


def test_two_sessions_of_one_agent_in_one_host_are_distinguished_by_their_ids(desk: Desk) -> None:
    first = desk.run("session start", client_id="host-1", by="codex").session
    second = desk.run("session start", client_id="host-2", by="codex").session
    assert first.id != second.id
    assert desk.run("session show", id="host-1").session.id == first.id


def test_a_secret_in_a_hosts_id_is_stored_nowhere_and_the_session_is_found_by_it(
    desk: Desk,
) -> None:
    """CT-27."""
    token = "gh" + "p_" + "a1B2" * 9
    first = desk.run("session start", client_id=token, by="codex").session
    again = desk.run("session start", client_id=token, by="codex")
    assert (again.action, again.session.id) == ("continued", first.id)
    assert first.client_id == "[redacted:github-token]"
    assert desk.run("session show", id=token).session.id == first.id
    files = [path for path in desk.store.parent.rglob("*") if path.is_file()]
    assert not [path for path in files if token.encode() in path.read_bytes()]


def test_a_note_starts_a_session_where_none_runs(desk: Desk) -> None:
    answer = desk.run("session note", text="the cache is per worker", file=("src/a.py",))
    assert answer.action == "noted"
    shown = desk.run("session show")
    assert [note.text for note in shown.notes] == ["the cache is per worker"]
    assert shown.session.active_file == "src/a.py"


def test_notes_come_in_the_order_they_were_written(desk: Desk) -> None:
    for number in range(3):
        desk.run("session note", text=f"note {number}")
        desk.clock.advance(MINUTE)
    assert [note.text for note in desk.run("session show").notes] == ["note 0", "note 1", "note 2"]


def test_the_fifty_files_viewed_last_are_kept(desk: Desk) -> None:
    for start in (0, 30):
        names = tuple(f"src/f{number:02d}.py" for number in range(start, start + 30))
        desk.run("session note", file=names)
        desk.clock.advance(MINUTE)
    session = desk.run("session note", file=("src/f55.py",)).session
    assert len(session.files) == 50
    assert session.files[0] == session.active_file == "src/f55.py"
    assert set(session.files) == {f"src/f{number:02d}.py" for number in range(10, 60)}


def test_an_ended_session_keeps_its_summary_and_last_commit(desk: Desk, repo: RepoBuilder) -> None:
    desk.run("session start")
    desk.clock.advance(HOUR)
    repo.commit("Import a file", {"src/import.py": "x = 1\n"})
    repo.commit("Import a folder", {"src/import.py": "x = 2\n"})
    ended = desk.run("session end", summary="Import works").session
    assert (ended.summary, ended.head_end) == ("Import works", repo.head())
    assert ended.ended_at == "2026-11-21T09:03:42Z"
    made = desk.run("session show", id=ended.id).commits
    assert [item.subject for item in made] == ["Import a file", "Import a folder"]


def test_a_last_note_ends_the_session_and_sums_it_up(desk: Desk) -> None:
    """For agents, whose short list of tools has `session_note` alone."""
    with pytest.raises(Conflict):
        desk.run("session note", text="Nothing runs", end=True)
    desk.run("session start", goal="Import")
    result = desk.run(
        "session note", text="Import works", file=("src/a.py",), goal="Done", end=True
    )
    assert result.action == "ended"
    ended = result.session
    assert (ended.summary, ended.goal, ended.active_file) == ("Import works", "Done", "src/a.py")
    assert ended.ended_at == "2026-11-21T08:03:42Z"
    assert desk.run("session show", id=ended.id).notes == ()
    id = desk.run("session start").session.id
    assert desk.run("session note", end=True).session.id == id  # without a summary


def test_ending_what_has_ended_contradicts(desk: Desk) -> None:
    with pytest.raises(Conflict):
        desk.run("session end")
    id = desk.run("session start").session.id
    desk.run("session end")
    with pytest.raises(Conflict):
        desk.run("session end", session=id)
    with pytest.raises(Conflict):
        desk.run("session end")


def test_a_session_that_is_not_there_is_not_found(desk: Desk) -> None:
    for verb, values in (
        ("session show", {"id": "ZZZZ"}),
        ("session show", {}),
        ("session note", {"text": "x", "session": "ZZZZ"}),
        ("session end", {"session": "ZZZZ"}),
    ):
        with pytest.raises(NotFound):
            desk.run(verb, **values)
    assert desk.run("session list").sessions == ()


def test_a_beginning_that_fits_two_sessions_is_ambiguous(desk: Desk) -> None:
    desk.run("session start", by="a")
    desk.run("session start", by="b")
    with pytest.raises(AmbiguousReference):
        desk.run("session show", id="0")


@pytest.mark.parametrize(
    "values",
    [{}, {"text": "  "}, {"text": "x" * 4001}, {"file": ("/etc/passwd",)}, {"file": ("",)}],
)
def test_a_note_that_says_nothing_or_too_much_is_refused(
    desk: Desk, values: dict[str, object]
) -> None:
    with pytest.raises(InvalidInput):
        desk.run("session note", **values)
    assert desk.run("session list").sessions == ()


def test_a_clock_that_goes_back_never_gives_a_session_a_negative_length(desk: Desk) -> None:
    desk.run("session start")
    desk.clock.advance(-2 * HOUR)
    desk.run("session note", text="earlier than the start")
    ended = desk.run("session end").session
    assert ended.started_at <= ended.last_at <= (ended.ended_at or "")


def test_a_session_shows_what_was_remembered_in_it(desk: Desk) -> None:
    desk.run("session start")
    saved = desk.run("remember", text="Redis is on 6380").id
    assert [memory.id for memory in desk.run("session show").memories] == [saved]


def test_a_session_says_of_its_memories_whether_their_code_still_stands(desk: Desk) -> None:
    desk.run("session start")
    desk.run("remember", text="The cart holds x", path=("src/cart/cart.py:1",))
    assert "check first" not in desk.text("session show")
    (desk.place / "src" / "cart" / "cart.py").write_text("y = 'another line'\n")
    assert "check first" in desk.text("session show")


def test_secrets_are_taken_out_of_goals_notes_and_summaries(desk: Desk) -> None:
    token = "ghp_" + "b7Kq9Zx2" * 4 + "Wm4T"
    desk.run("session start", goal=f"use {token}")
    desk.run("session note", text=f"used {token}")
    desk.run("session end", summary=f"did {token}")
    for path in desk.store.parent.iterdir():
        assert not path.is_file() or token.encode() not in path.read_bytes()


def test_the_views_hold_no_control_character(desk: Desk) -> None:
    desk.run("session start", goal="\x1b[2Jgoal\u202e", by="a\x1b[31mb")
    desk.run("session note", text="\x1b]0;title\x07note")
    for output in (desk.text("session list"), desk.text("session show")):
        assert "\x1b" not in output and "\x07" not in output and "\u202e" not in output


def test_an_end_without_a_word_tells_what_was_decided_done_and_left(desk: Desk) -> None:
    """CF-41."""
    desk.run("session start", goal="mend the cart")
    desk.run("decide", title="Count in cents")
    desk.clock.advance(MINUTE)
    (desk.place / "src" / "cart" / "cart.py").write_text("x = 3\n")
    desk.run("session note", text="taxes are missing", file=("src/cart/cart.py",))
    assert desk.run("session end").session.summary == (
        "Decided: Count in cents. Worked on src/cart/cart.py. Noted: taxes are missing. "
        "Not committed: src/cart/cart.py"
    )
    desk.run("session start")
    assert desk.run("session end", summary="All done").session.summary == "All done"


def test_snippets_are_the_lines_of_viewed_files_nearest_to_the_goal(
    desk: Desk, repo: RepoBuilder
) -> None:
    """ML-2: of each file one, at most ten, the file viewed last first, as it is now."""
    body = "".join(f"def step_{n}():\n    return {n}\n\n\n" for n in range(60))
    cart = body + "def empty_cart(cart):\n    # The discount goes as well.\n    cart.clear()\n"
    repo.commit(
        "All",
        {"cart.py": cart, "till.py": body, **{f"more{n:02}.py": body for n in range(12)}},
    )
    desk.run("index")
    desk.run("session start", goal="empty the cart with its discount")
    for path in (*(f"more{n:02}.py" for n in range(12)), "till.py", "cart.py"):
        desk.clock.advance(MINUTE)
        desk.run("file", path=path)
    shown = desk.run("session show").snippets
    assert len(shown) == 10
    assert [snippet.path for snippet in shown[:3]] == ["cart.py", "till.py", "more11.py"]
    assert (shown[0].start_line, shown[0].end_line) == (241, 243)
    assert shown[0].text.strip() == cart[cart.index("def empty_cart") :].strip()
    assert (shown[1].start_line, shown[1].text.split("\n")[0]) == (1, "def step_0():")
    (repo.path / "cart.py").write_text("\n\n" + cart)
    again = desk.run("session show").snippets[0]
    assert (again.path, again.start_line) == ("cart.py", 243)
    (repo.path / "cart.py").unlink()
    assert "cart.py" not in {snippet.path for snippet in desk.run("session show").snippets}


def test_a_session_without_viewed_files_has_no_snippets(desk: Desk) -> None:
    desk.run("session start", goal="look around")
    assert desk.run("session show").snippets == ()
    desk.run("session note", text="x", file=("gone.py",))
    assert desk.run("session show").snippets == ()


def test_a_session_gone_on_with_is_listed_again_only_if_something_was_recorded(
    desk: Desk, repo: RepoBuilder
) -> None:
    """`claude -p --continue` begins and ends a session for each question."""

    def go_on(**given: str) -> str:
        begun = desk.run("session start", client_id="host-1", by="claude-code", **given).session.id
        return str(begun)

    def end() -> None:
        desk.clock.advance(MINUTE)
        desk.run("session end", by="claude-code")
        desk.clock.advance(MINUTE)

    def listed() -> list[str]:
        return [session.id for session in desk.run("session list").sessions]

    ids = [go_on()]
    end()
    assert listed() == ids
    idle = go_on()
    assert listed() == [idle, *ids]
    end()
    assert listed() == ids
    ids.insert(0, go_on())
    repo.commit("Something", {"a.py": "a = 1\n"})
    end()
    ids.insert(0, go_on())
    desk.run("remember", text="The cache is warm after a minute", by="claude-code")
    end()
    ids.insert(0, go_on())
    desk.run("session note", text="Tried a cache", by="claude-code")
    end()
    ids.insert(0, go_on(goal="Fix the cache"))
    end()
    assert listed() == ids
    assert desk.run("session show", id=idle).session.id == idle
