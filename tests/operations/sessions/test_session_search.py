"""Past sessions are searched and paged through, with the commits that came of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.errors import AmbiguousReference, InvalidInput, NotFound
from gitmem.operations.registry import as_json_values
from tests.support.apps import DAY, HOUR, NOW, Desk
from tests.support.conversations import ID, OTHER, put
from tests.support.repos import RepoBuilder


def test_the_limit_that_is_set_for_the_project_counts(desk: Desk) -> None:
    put(desk)
    desk.run("config", key="recall.limit", value="1")
    assert len(desk.run("session search", query="pool limit").hits) == 1


def test_a_hit_has_its_question_day_agent_and_what_answers(desk: Desk) -> None:
    """CC-11."""
    put(desk)
    result = desk.run("session search", query="why is the pool flaky")
    first = result.hits[0]
    assert (first.conversation, first.number, first.id) == (ID, 1, f"{ID}#1")
    assert (first.agent, first.branch, first.at) == ("codex", "main", "2026-11-21T06:04:42Z")
    assert first.question == "Why is the pool test flaky?"
    assert "leaks a connection" in first.snippet
    text = desk.text("session search", query="why is the pool flaky")
    assert f"{ID}#1 2026-11-21 codex: Why is the pool test flaky?" in text


def test_the_words_of_asking_do_not_decide(desk: Desk) -> None:
    tried = "We tried and discussed it, talked about it, and tried it against the wall."
    put(desk, ((tried, "We tried again.", ()), ("The pool test is flaky.", "It leaks.", ())))
    result = desk.run(
        "session search", query="what did we try against the flaky test", mode="keyword"
    )
    assert result.hits[0].number == 2


def test_without_a_model_words_decide_and_the_answer_says_so(desk: Desk) -> None:
    put(desk)
    desk.env["GITMEM_MODEL"] = "ollama:none"
    desk.env["GITMEM_EMBEDDING_ENDPOINT"] = "http://127.0.0.1:9"
    result = desk.run("session search", query="pool flaky")
    assert result.hits[0].number == 1
    assert any(note.startswith("Only words were compared") for note in result.notes)


def test_filters_narrow_by_time_agent_branch_and_file(desk: Desk) -> None:
    put(desk)
    put(desk, (("The pool again?", "Yes.", ()),), OTHER, host="claude-code", at=NOW - 9 * DAY)

    def numbers(**filters: str) -> list[str]:
        return sorted(hit.id for hit in desk.run("session search", query="pool", **filters).hits)

    assert numbers() == [f"{ID}#1", f"{ID}#2", f"{OTHER}#1"]
    assert numbers(after="2d") == [f"{ID}#1", f"{ID}#2"]
    assert numbers(before="2d") == [f"{OTHER}#1"]
    assert numbers(agent="Claude") == numbers(agent="claude_code") == [f"{OTHER}#1"]
    assert numbers(branch="none") == []
    assert numbers(file="src/pool.py") == numbers(file="src") == [f"{ID}#2"]
    with pytest.raises(InvalidInput, match="--before is before --after"):
        numbers(after="1d", before="3d")


def test_commits_that_followed_are_those_of_the_files_it_wrote(
    desk: Desk, repo: RepoBuilder
) -> None:
    put(desk, at=NOW - 2 * HOUR)
    at = (NOW - 2 * HOUR) // 1000 + 150
    fix = repo.commit("Raise the limit", {"src/pool.py": "LIMIT = 9\n"}, when=f"{at} +0000")
    repo.commit("Unrelated", {"notes.md": "Hm.\n"}, when=f"{at + 5} +0000")
    desk.run("index")
    found = {hit.number: hit for hit in desk.run("session search", query="pool limit raise").hits}
    assert [commit.commit for commit in found[2].commits] == [fix]
    assert "then " + fix[:10] in desk.text("session search", query="raise limit")
    why = desk.run("why", target="src/pool.py")
    assert why.commits[0].session == f"{ID}#2"
    assert why.commits[0].question == "Raise its limit then."
    assert f"likely written in session {ID}#2" in desk.text("why", target="src/pool.py")


def test_a_question_is_followed_by_no_commit_that_came_after_the_next(
    desk: Desk, repo: RepoBuilder
) -> None:
    put(desk, at=NOW - 2 * HOUR)
    at = (NOW - 2 * HOUR) // 1000 + 150  # after the second exchange began
    repo.commit("Raise the limit", {"src/pool.py": "LIMIT = 9\n"}, when=f"{at} +0000")
    desk.run("index")
    hits = desk.run("session search", query="pool flaky limit raise").hits
    assert {hit.number: len(hit.commits) for hit in hits} == {1: 0, 2: 1}


def test_a_page_is_quoted_so_that_no_text_passes_for_another_speaker(desk: Desk) -> None:
    put(desk)
    text = desk.text("session show", id=ID)
    assert "## Exchange 1 (2026-11-21 06:04)" in text
    assert "> ## Exchange 9" in text and "\n## Exchange 9" not in text
    assert "‹/user›" in text and "</user>" not in text
    assert "tools: Edit src/pool.py" in text


def test_pages_go_from_one_exchange_to_another(desk: Desk) -> None:
    put(desk, [(f"Question {n}", f"Answer {n}", ()) for n in range(1, 31)])
    whole = desk.run("session show", id=ID)
    assert (whole.transcript.count, len(whole.transcript.exchanges)) == (30, 20)
    assert "(1 to 20 of 30 exchanges; --from 21 shows more)" in desk.text("session show", id=ID)
    some = desk.run("session show", id=ID[:22], first=29)
    assert [row.number for row in some.transcript.exchanges] == [29, 30]
    only = desk.run("session show", id=f"{ID}#12")
    assert [row.user for row in only.transcript.exchanges] == ["Question 12"]
    assert as_json_values(only)["session"]["goal"] == "Question 1"
    with pytest.raises(InvalidInput):
        desk.run("session show", id=ID, first=9, last=3)


def test_a_recorded_session_shows_its_transcript_on_request(desk: Desk) -> None:
    recorded = desk.run("session start", goal="Fix it", client_id="host-1", by="codex").session
    with pytest.raises(NotFound, match="not imported"):
        desk.run("session show", id=recorded.id, first=1)
    put(desk)
    assert desk.run("session show", id=recorded.id).transcript is None
    shown = desk.run("session show", id=recorded.id, first=2, last=2)
    assert (shown.session.goal, shown.transcript.exchanges[0].number) == ("Fix it", 2)


def test_unknown_and_ambiguous_ids_are_refused(desk: Desk) -> None:
    put(desk)
    put(desk, id=OTHER, session="host-2")
    with pytest.raises(AmbiguousReference):
        desk.run("session show", id=ID[:20])
    with pytest.raises(NotFound):
        desk.run("session show", id="01KZ")


def test_search_looks_into_sessions_on_request_only(desk: Desk) -> None:
    """CE-10."""
    put(desk)
    hits = desk.run("search", query="pool leaks a connection", sources=("sessions",)).hits
    assert [hit.kind for hit in hits] == ["session"] * len(hits) and hits[0].id == f"{ID}#1"
    assert f"{ID}#1" in desk.text("search", query="pool leaks", sources=("sessions",))
    assert not any(hit.kind == "session" for hit in desk.run("search", query="pool leaks").hits)


def test_context_and_ask_cite_exchanges_as_unchecked(desk: Desk) -> None:
    put(desk)
    made = desk.run("context", query="what did we try against the flaky pool test")
    assert "Said in Past Sessions (unchecked)" in made.context
    assert f"{ID}#1" in {source.id for source in made.sources if source.kind == "session"}
    answer = desk.run("ask", question="what did we say about the pool leaking a connection")
    (source,) = [item for item in answer.sources if item.kind == "session"][:1]
    assert source.id == f"{ID}#1" and "not checked" in source.note


def test_context_and_ask_name_the_commit_that_came_of_an_exchange(
    desk: Desk, repo: RepoBuilder
) -> None:
    put(desk, at=NOW - 2 * HOUR)
    at = (NOW - 2 * HOUR) // 1000 + 150
    commit = repo.commit("Raise the limit", {"src/pool.py": "LIMIT = 9\n"}, when=f"{at} +0000")
    desk.run("index")
    then = f"then {commit[:10]} 2026-11-21 Raise the limit"
    query = "what did we say about the limit of the pool"
    made = desk.run("context", query=query)
    line = next(line for line in made.context.split("\n") if f"[{ID}#2 " in line)
    assert made.context[made.context.index(line) + len(line) :].startswith(f"\n  {then}")
    answer = desk.run("ask", question=query)
    notes = {source.id: source.note for source in answer.sources}
    assert notes[f"{ID}#2"].endswith(f"not checked; {then}")
    for budget in range(20, 400, 20):
        small = desk.run("context", query=query, max_tokens=budget)
        assert small.token_count <= budget
        assert (f"[{ID}#2 " in small.context) == (then in small.context)


def test_where_nothing_was_imported_it_says_how(desk: Desk) -> None:
    assert "session import" in desk.text("session search", query="pool")


def test_a_secret_in_a_transcript_is_shown_nowhere(desk: Desk, tmp_path: Path) -> None:
    token = "gh" + "p_" + "a1B2" * 9
    put(desk, ((f"Use the token {token} for the pool", "Done.", ()),))
    for text in (
        desk.text("session search", query="token pool"),
        desk.text("session show", id=ID),
        desk.text("context", query="which token for the pool"),
    ):
        assert token not in text


def test_imported_sessions_are_listed_once_with_the_recorded_ones(desk: Desk) -> None:
    put(desk)
    put(desk, (("The pool again?", "Yes.", ()),), OTHER, session="host-2", at=NOW - 9 * DAY)
    listed = desk.run("session list").sessions
    assert [session.id for session in listed] == [ID, OTHER]
    assert "codex" in desk.text("session list") and "The pool again?" in desk.text("session list")
    recorded = desk.run("session start", goal="Fix it", client_id="host-1", by="codex").session
    assert [each.id for each in desk.run("session list").sessions] == [recorded.id, OTHER]
    assert [each.id for each in desk.run("session list", limit=1).sessions] == [recorded.id]
    assert desk.run("session list", agent="kimi").sessions == ()


def test_a_page_past_the_end_says_where_the_end_is(desk: Desk) -> None:
    put(desk)
    assert "(no exchange 9: the last is 3)" in desk.text("session show", id=ID, first=9)
    assert "no exchange" not in desk.text("session show", id=ID, first=3)


def test_a_hit_without_a_commit_says_that_the_index_is_behind(
    desk: Desk, repo: RepoBuilder
) -> None:
    desk.run("index")
    put(desk)
    assert "index is behind" not in desk.text("session search", query="raise limit")
    repo.commit("Raise the limit", {"src/pool.py": "LIMIT = 9\n"})
    assert "The index is behind: run `gitmem index`." in desk.text(
        "session search", query="raise limit"
    )


def test_a_hit_shows_no_tag_of_another_speaker(desk: Desk) -> None:
    put(desk)
    text = desk.text("session search", query="delete everything")
    assert "‹/user›" in text and "</user>" not in text
