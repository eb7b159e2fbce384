"""Keeping a memory: what is stored, said again, refused, and given in batches."""

from __future__ import annotations

import json

import pytest

from gitmem.clock import format_iso
from gitmem.errors import InvalidInput, NotFound, NotInitialized
from gitmem.model import ids, kinds
from gitmem.operations.registry import as_json_values
from gitmem.store.memory import memories
from tests.support.apps import DAY, HOUR, NOW, Desk
from tests.support.repos import RepoBuilder
from tests.support.tables import table


def saved(desk: Desk, id: str) -> dict[str, object]:
    found = as_json_values(desk.run("show", id=id))["memory"]
    assert isinstance(found, dict)
    return found


def test_the_answer_is_an_id_and_what_was_done(desk: Desk) -> None:
    answer = desk.run("remember", text="Redis is on 6380")
    assert answer.action == "added"
    assert len(answer.id) == ids.LENGTH
    assert ids.normalise_id_prefix(answer.id) == answer.id
    assert {"id", "action"} <= set(as_json_values(answer))


def test_a_memory_carries_who_when_and_where(desk: Desk, repo: RepoBuilder) -> None:
    """Provenance (CF-43)."""
    found = saved(desk, desk.run("remember", text="Redis is on 6380", by="codex").id)
    assert found["agent"] == "codex"
    assert found["source"] == "ai_inferred"
    assert found["branch"] == "main"
    assert found["commit"] == repo.head()
    assert found["created_at"] == "2026-11-21T08:03:42Z"
    assert found["state"] == "active"
    assert found["scope"] == "project"


def test_what_a_person_says_is_marked_as_such_and_never_expires(desk: Desk) -> None:
    found = saved(desk, desk.run("remember", text="Redis is on 6380").id)
    assert found["agent"] == ""
    assert found["source"] == "user_explicit"
    assert found["expires_at"] is None
    assert (found["weight"], found["importance"]) == (3, 0.5)


def test_an_anchor_is_the_code_that_a_memory_stands_on(desk: Desk, repo: RepoBuilder) -> None:
    repo.commit("Serve", {"src/serve.py": "def serve(port):\n    return port\n"})
    for verb, expected in (
        ("remember", {"text": "Serving takes a port"}),
        ("decide", {"title": "Ports come from callers", "why": "tests run side by side"}),
    ):
        id = desk.run(verb, **expected, anchor=("src/serve.py#serve",)).id
        assert saved(desk, id)["paths"] == ["src/serve.py::serve"], verb
        (memory,) = desk.run("verify", id=(id,)).items
        assert [anchor.cited for anchor in memory.anchors] == ["src/serve.py::serve"], verb
    with pytest.raises(InvalidInput, match="does not define Nope"):
        desk.run("remember", text="Nothing at all is there", anchor=("src/serve.py#Nope",))


def test_every_option_is_kept(desk: Desk) -> None:
    answer = desk.run(
        "remember",
        text="Use port 6380",
        title="Redis",
        kind="bug_fix",
        tag=("Infra, cache", "infra"),
        path=("src/app.py:4-6",),
        weight=5,
        importance=0.9,
        confidence=0.4,
        ttl="7d",
        pin=True,
        metadata='{"ticket": 7}',
    )
    shown = as_json_values(desk.run("show", id=answer.id))
    found = shown["memory"]
    assert (found["title"], found["kind"]) == ("Redis", "fix")
    assert (found["tags"], found["paths"]) == (["cache", "infra"], ["src/app.py:4-6"])
    assert (found["weight"], found["importance"], found["pinned"]) == (5, 0.9, True)
    assert found["expires_at"] == "2026-11-28T08:03:42Z"
    assert shown["metadata"] == {"ticket": 7}
    memory = memories.get_memory(desk.app().store, answer.id)
    assert memory is not None and memory.confidence == 0.4


def test_it_tells_what_the_router_advised_and_how_surely(desk: Desk) -> None:
    """CF-5: the advice beside what came of it."""
    for kind, advised, sure in (("convention", "global", 0.9), ("note", "project", 0.6)):
        answer = desk.run("remember", text=f"A {kind} of naming", kind=kind)
        assert (answer.layer, answer.advised) == ("project", advised)
        assert (answer.advice_confidence, bool(answer.advice_reason)) == (sure, True)
    batch = desk.run("remember", text='{"content": "One"}', piped=True)
    assert (batch.advised, batch.advice_confidence) == ("", None)


@table(("alias", "kind"), sorted(kinds.ALIASES.items()))
def test_a_kind_of_another_system_is_taken_by_its_own_name(
    desk: Desk, alias: str, kind: str
) -> None:
    """CF-7: one vocabulary, with aliases."""
    assert saved(desk, desk.run("remember", text="x", kind=alias).id)["kind"] == kind


def test_the_same_again_strengthens_what_is_there(desk: Desk) -> None:
    first = desk.run("remember", text="Redis is on 6380", tag=("infra",))
    again = desk.run("remember", text="  redis is  on 6380", tag=("cache",), weight=5)
    assert (again.id, again.action) == (first.id, "reinforced")
    found = saved(desk, first.id)
    assert (found["tags"], found["weight"]) == (["cache", "infra"], 5)


def test_a_memory_with_a_ttl_is_gone_from_the_lists_when_its_time_is_over(desk: Desk) -> None:
    desk.run("remember", text="Server is down", ttl="2h")
    assert desk.run("list").total == 1
    desk.clock.advance(2 * HOUR + 1)
    assert desk.run("list").total == 0
    assert desk.run("recall", query="server").memories == ()


def test_use_moves_an_end_that_was_given_unless_it_is_fixed(desk: Desk) -> None:
    """CT-7, CT-8: half of its length for each use, a search among them, in whatever layer."""
    for ttl in ("10d", "2h"):
        desk.run("remember", text=f"The fair opens {ttl}", ttl=ttl)
        desk.run("remember", text=f"The market opens {ttl}", ttl=ttl, fixed=True)
    batch = '{"content": "The harbour opens", "ttl": "10d", "fixed": true}'
    desk.run("remember", text=batch, piped=True)
    for query in ("fair", "market", "harbour"):
        desk.run("recall", query=query, mode="keyword")
    desk.run("search", query="fair", sources=("memories",), mode="keyword")
    desk.clock.advance(2 * HOUR + 1)
    assert {memory.content for memory in desk.run("list").memories} == {
        *("The fair opens 10d", "The market opens 10d", "The harbour opens", "The fair opens 2h"),
    }
    desk.clock.advance(10 * DAY)
    assert {memory.content for memory in desk.run("list").memories} == {"The fair opens 10d"}
    desk.clock.advance(10 * DAY - 2 * HOUR - 2)
    assert desk.run("list").total == 1
    desk.clock.advance(1)
    assert desk.run("list").total == 0


def test_a_time_to_live_that_follows_from_the_importance(desk: Desk) -> None:
    """CT-7: --ttl auto, also in a line of a batch; a decision has no end."""
    batch = "\n".join(
        json.dumps({"content": f"Boat {number}", "ttl": "auto", **more})
        for number, more in enumerate(({}, {"importance": 0.8}, {"kind": "decision"}))
    )
    items = desk.run("remember", text=batch, piped=True).items
    ids = [item.id for item in items] + [desk.run("remember", text="A raft", ttl="auto").id]
    shown = [desk.run("show", id=id).memory for id in ids]
    day = format_iso(desk.clock.now() + DAY)
    assert [memory.expires_at for memory in shown] == [day, None, None, day]
    assert [memory.ttl_seconds for memory in shown] == [86_400, None, None, 86_400]


def test_how_use_keeps_a_memory_is_a_setting(desk: Desk) -> None:
    """CT-29: the use that keeps it for good, and the share by which each moves the end."""
    desk.run("config", key="expiry.promote_after", value="3")
    desk.run("config", key="expiry.extend_by", value="2")
    ends = []
    id = desk.run("remember", text="The fair opens", ttl="10d").id
    for _ in range(4):
        ends.append(desk.run("show", id=id).memory.expires_at)
    start = desk.clock.now()
    assert ends == [*(format_iso(start + days * DAY) for days in (10, 30, 50)), None]
    other = desk.run("remember", text="The market opens", ttl="1d").id
    desk.run("show", id=other)
    desk.clock.advance(3 * DAY - 1)
    assert {memory.content for memory in desk.run("list").memories} == {
        "The fair opens", "The market opens",
    }  # fmt: skip
    desk.clock.advance(1)
    assert [memory.content for memory in desk.run("list").memories] == ["The fair opens"]
    upkept = desk.run("upkeep")
    assert (upkept.promoted, upkept.expired) == (1, 1)


def test_a_solution_is_a_fix_that_is_reported_as_a_solution(desk: Desk) -> None:
    """CT-1, CT-3: the name as it was given, and a summary, from the metadata."""
    id = desk.run(
        "remember", text="Free the lock", kind="Solution", metadata='{"summary": "Locks"}'
    ).id
    found = desk.run("show", id=id).memory
    assert (found.kind, found.kind_as, found.summary) == ("fix", "solution", "Locks")
    assert "fix (solution)" in desk.text("show", id=id) and "metadata" not in desk.text(
        "show", id=id
    )
    assert [memory.id for memory in desk.run("recall", query="lock", kind=("fix",)).memories] == [
        id
    ]
    desk.run("revise", id=id, kind="problem")
    assert desk.run("show", id=id).memory.kind_as == ""


def test_an_agents_own_note_lives_a_day_and_lasts_where_it_matters(desk: Desk) -> None:
    """CT-7: what it remembers has no end, what it puts in the working layer by name an hour."""
    note = {"by": "codex", "kind": "scratchpad"}
    ends = {}
    for name, values in {
        "note": note,
        "vital": note | {"importance": 0.8},
        "session": note | {"layer": "working"},
        "remembered": {"by": "codex"},
        "person": {"kind": "scratchpad"},
    }.items():
        made = desk.run("remember", text=f"A {name} of the day", **values).id
        found = saved(desk, made)
        ends[name] = found["layer"], found["expires_at"]
    day, hour = (format_iso(desk.clock.now() + length) for length in (DAY, HOUR))
    assert ends == {
        "note": ("working", day),
        "vital": ("project", None),
        "session": ("working", hour),
        "remembered": ("project", None),
        "person": ("working", hour),
    }


def test_a_new_end_stands_however_often_it_was_used(desk: Desk) -> None:
    """The uses of before would take it away at once."""
    saved = desk.run("remember", text="The tent is up").id
    for _ in range(6):
        desk.run("recall", query="tent", mode="keyword")
    desk.run("revise", id=saved, ttl="2h")
    desk.clock.advance(2 * HOUR + 1)
    assert desk.run("list").total == 0


def test_a_global_memory_belongs_to_no_repository_and_is_found_from_all(
    desk: Desk, repo: RepoBuilder
) -> None:
    """CF-16."""
    answer = desk.run("remember", text="I prefer tabs", scope="global")
    other = RepoBuilder(repo.path.parent / "other", home=repo.home)
    elsewhere = Desk(other.path, desk.home)
    elsewhere.run("init")
    found = elsewhere.run("recall", query="tabs").memories
    assert [item.id for item in found] == [answer.id]
    assert (found[0].scope, found[0].branch, found[0].commit) == ("global", "", "")
    assert elsewhere.run("list", scope="project").total == 0


def test_a_global_memory_needs_no_repository(bare_desk: Desk, repo: RepoBuilder) -> None:
    nowhere = bare_desk.at(repo.home)
    nowhere.run("remember", text="I prefer tabs", scope="global")
    assert nowhere.run("list", scope="global").total == 1
    assert nowhere.run("recall", query="tabs", scope="global").memories[0].content


def test_without_a_store_nothing_is_kept(bare_desk: Desk) -> None:
    with pytest.raises(NotInitialized):
        bare_desk.run("remember", text="Redis is on 6380")
    assert not bare_desk.store.parent.exists()


def test_a_memory_joins_the_running_session_of_its_agent(desk: Desk) -> None:
    session = desk.run("session start", by="codex").session
    mine = desk.run("remember", text="mine", by="codex")
    other = desk.run("remember", text="of a person")
    assert saved(desk, mine.id)["session"] == session.id
    assert saved(desk, other.id)["session"] == ""


def test_a_session_that_is_not_there_is_refused(desk: Desk) -> None:
    with pytest.raises(NotFound):
        desk.run("remember", text="x", session="ZZZZZZ")


def test_a_secret_is_replaced_before_it_is_stored(desk: Desk) -> None:
    token = "ghp_" + "b7Kq9Zx2" * 4 + "Wm4T"
    answer = desk.run("remember", text=f"the token is {token}", title=f"T {token}")
    assert answer.redacted
    found = saved(desk, answer.id)
    assert token not in json.dumps(found)
    assert token.encode() not in desk.store.read_bytes()


@table(
    ("values", "word"),
    [
        ({"text": ""}, "empty"),
        ({"text": " \n "}, "empty"),
        ({"text": "x" * 1_000_000}, "1,000,000"),
        ({"text": "a\x00b"}, "NUL"),
        ({"text": "x", "kind": "nonsense"}, "nonsense"),
        ({"text": "x", "ttl": "soon"}, "soon"),
        ({"text": "x", "fixed": True}, "needs a time to live"),
        ({"text": "x", "fixed": True, "ttl": "1h", "pin": True}, "pinned"),
        ({"text": "x", "path": ("/etc/passwd",)}, "/etc/passwd"),
        ({"text": "x", "path": ("a/../../b",)}, "a/../../b"),
        ({"text": "x", "weight": 9}, "9"),
        ({"text": "x", "importance": float("nan")}, "nan"),
        ({"text": "x", "metadata": "{"}, "JSON"),
        ({"text": "x", "title": "t" * 201}, "201"),
        ({"text": "x", "tag": ("t" * 65,)}, "tags"),
        ({"text": "x", "scope": "galaxy"}, "galaxy"),
    ],
)
def test_what_cannot_be_kept_is_named_and_nothing_is_stored(
    desk: Desk, values: dict[str, object], word: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        desk.run("remember", **values)
    assert word in refused.value.message
    assert refused.value.hint
    assert desk.run("list").total == 0


def test_a_wrong_kind_is_answered_with_one_that_is_close(desk: Desk) -> None:
    with pytest.raises(InvalidInput) as refused:
        desk.run("remember", text="x", kind="convnetion")
    assert "convention" in refused.value.hint


def batch(desk: Desk, *lines: str, **values: object) -> object:
    return as_json_values(desk.run("remember", text="\n".join(lines), piped=True, **values))


def test_each_line_of_json_becomes_a_memory(desk: Desk) -> None:
    """CF-8: batches."""
    answer = batch(
        desk,
        '{"content": "one", "kind": "fix", "tags": ["a"]}',
        "",
        '{"information": "two", "type": "todo"}',
        '{"content": "one", "kind": "fix"}',
        kind="convention",
    )
    assert isinstance(answer, dict)
    assert (answer["id"], answer["action"], answer["failed"]) == ("", "batch", 0)
    messages = [(item["line"], item["action"]) for item in answer["items"]]
    assert messages == [(1, "added"), (3, "added"), (4, "reinforced")]
    assert {memory.kind for memory in desk.run("list").memories} == {"fix", "task"}


def test_a_bad_line_is_reported_by_number_and_the_others_are_stored(desk: Desk) -> None:
    answer = batch(
        desk,
        '{"content": "one"}',
        "not json",
        '{"content": ""}',
        '{"content": "x", "colour": "red"}',
        '{"content": 5}',
        '{"content": "two"}',
    )
    assert isinstance(answer, dict)
    assert answer["failed"] == 4
    assert [item["line"] for item in answer["items"] if item["error"]] == [2, 3, 4, 5]
    assert desk.run("list").total == 2


def test_a_long_batch_is_kept_whole(desk: Desk) -> None:
    lines = [json.dumps({"content": f"fact number {n}"}) for n in range(450)]
    answer = batch(desk, *lines)
    assert isinstance(answer, dict) and answer["failed"] == 0
    assert len({item["id"] for item in answer["items"]}) == 450
    assert desk.run("list").total == 450


def test_text_that_only_looks_like_json_is_a_memory(desk: Desk) -> None:
    answer = desk.run("remember", text='{"port": 6380} is the reply', piped=True)
    assert answer.action == "added"


def test_a_json_text_given_on_the_command_line_is_no_batch(desk: Desk) -> None:
    assert desk.run("remember", text='{"content": "one"}').action == "added"


def test_json_nested_past_all_reason_is_a_bad_line(desk: Desk) -> None:
    deep = '{"content": ' + "[" * 100_000
    answer = batch(desk, '{"content": "one"}', deep)
    assert isinstance(answer, dict)
    assert (answer["failed"], desk.run("list").total) == (1, 1)


def test_the_view_tells_of_an_id_a_batch_and_what_was_taken_out(desk: Desk) -> None:
    assert desk.text("remember", text="one").startswith("added 01")
    text = desk.text("remember", text='{"content": "two"}\n{"content": ""}', piped=True)
    assert text.splitlines()[0] == "1 added, 1 failed"
    assert text.splitlines()[1].startswith("line 2: ")
    many = desk.text("remember", text='{"content": ""}\n' * 40, piped=True).splitlines()
    assert (len(many), many[-1]) == (22, "and 20 lines more that cannot be saved")


def test_an_absurdly_early_clock_still_makes_an_id(desk: Desk) -> None:
    desk.clock.advance(-NOW - 5 * DAY)
    assert desk.run("remember", text="before 1970").action == "added"
    assert desk.run("list").memories[0].created_at.startswith("1969-12-2")


def test_code_and_its_language_are_kept_and_checked(desk: Desk) -> None:
    """CF-8: as fields, as metadata and on a JSON line."""
    saved = desk.run("remember", text="Round half up", code="round(x + 0.5)", language="python")
    shown = desk.run("show", id=saved.id)
    block = {"code": "round(x + 0.5)", "language": "python"}
    assert shown.metadata["codeBlock"] == block
    with pytest.raises(InvalidInput, match="Unknown key 'lang'"):
        desk.run("remember", text="Round", metadata='{"codeBlock": {"code": "x", "lang": "go"}}')
    lines = (
        '{"content": "Kept as told", "metadata": {"fileContext": {"path": "a.py", "lines": "3-9"}}}'
        '\n{"content": "Not kept", "metadata": {"codeBlock": 3}}'
    )
    batch = desk.run("remember", text=lines, piped=True)
    assert [item.action for item in batch.items] == ["added", ""], batch.items
    assert "codeBlock in the metadata is not an object" in batch.items[1].error


def test_where_it_is_from_and_who_stated_it_is_kept_and_shown(desk: Desk) -> None:
    """CF-43."""
    old = desk.run("remember", text="Redis listens on 6379", kind="convention").id
    new = desk.run(
        "remember", text="Redis listens on 6380", kind="convention", author="Ada", supersedes=old,
        origin=("#12", "https://example.org/pr/12"), metadata='{"provenance": {"eventId": "e1"}}',
    )  # fmt: skip
    assert (new.action, new.superseded) == ("added", old)
    shown = desk.run("show", id=new.id)
    assert shown.author == "Ada"
    assert shown.metadata == {
        "provenance": {"eventId": "e1", "pullRequest": 12, "sourceUrl": "https://example.org/pr/12"}
    }
    text = desk.text("show", id=new.id)
    assert "     author  Ada\n" in text
    assert "       from  PR #12, https://example.org/pr/12, event e1" in text
    assert "metadata" not in text
    assert desk.run("show", id=old).memory.state == "superseded"
    assert [memory.id for memory in desk.run("recall", query="redis", author="ada").memories] == [
        new.id
    ]
    line = '{"content": "A", "metadata": {"provenance": {"pr": 1}}}'
    assert "Unknown key 'pr'" in desk.run("remember", text=line, piped=True).items[0].error
    for wrong in (
        {"text": "B", "origin": ("somewhere",)},
        {"text": "B", "metadata": '{"provenance": 3}'},
        {"text": "B", "metadata": '{"provenance": 3}', "origin": ("#1",)},
        {"text": '{"content": "B"}', "piped": True, "author": "Ada"},
        {"text": '{"content": "B"}', "piped": True, "supersedes": old},
        {"text": '{"content": "B"}', "piped": True, "origin": ("#1",)},
    ):
        with pytest.raises(InvalidInput):
            desk.run("remember", **wrong)
    assert len(desk.run("list", state=("any",)).memories) == 2


def test_what_is_worded_like_a_decision_says_so(desk: Desk) -> None:
    """ML-23."""
    text = "We decided to keep SQLite because one file beats a server."
    (note,) = desk.run("remember", text=text).notes
    assert "worded like a decision" in note
    assert '`gitmem decide "We decided to keep SQLite because one file beats' in note
    # Nothing is changed unasked, and what has a kind of its own is not asked about.
    assert desk.run("list").memories[0].kind == "note"
    other = "We decided to keep Redis because it is fast."
    assert desk.run("remember", text=other, kind="convention").notes == ()
    assert desk.run("remember", text="Ports start at 6380").notes == ()
