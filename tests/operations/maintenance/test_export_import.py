"""Export and import: lossless, stable, and safe against what a file may hold."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from gitmem import operations
from gitmem.errors import Conflict, GitmemError, InvalidInput, NotFound
from gitmem.model.frozen import replace
from gitmem.operations.registry import as_json_values
from tests.support import children
from tests.support.apps import DAY, Desk
from tests.support.file_faults import failing_files, python_counts
from tests.support.repos import RepoBuilder


@pytest.fixture
def filled(desk: Desk) -> Desk:
    item = desk.run(
        "remember",
        text="Redis\nis on 6380 \u00e9\u202e",
        tag=("b", "a"),
        ttl="7d",
        metadata='{"k": 1}',
    ).id
    desk.clock.advance(DAY)
    two = desk.run("decide", title="Use SQLite", why="One file", path=("src/a.py:1-2",)).id
    desk.run("revise", id=two, weight=5)
    desk.run("link", source=two, target=item, relation="SOLVES", strength=0.7)
    desk.run("forget", id=(desk.run("remember", text="gone").id,))
    return desk


@pytest.fixture
def other(filled: Desk, repo: RepoBuilder) -> Desk:
    made = RepoBuilder(repo.path.parent / "other", home=repo.home)
    desk = Desk(made.path, repo.home)
    desk.run("init", no_index=True, no_hooks=True)
    return desk


def body(desk: Desk) -> tuple[str, ...]:
    return tuple(desk.run("export").lines[1:])


def test_export_and_import_lose_nothing(filled: Desk, other: Desk) -> None:
    """S-27."""
    text = "\n".join(filled.run("export").lines)
    answer = as_json_values(other.run("import", source=text, piped=True, trust=True))
    assert (answer["added"], answer["links"], answer["failed"]) == (3, 1, 0)
    assert body(other) == body(filled)


def test_what_came_before_a_branchs_first_commit_is_exported_with_that_commit(
    filled: Desk, repo: RepoBuilder
) -> None:
    def born(id: str) -> str:
        records = map(json.loads, body(filled))
        return next(str(record["commit"]) for record in records if record.get("id") == id)

    repo.branch("side")
    id = filled.run("remember", text="early").id
    assert born(id).startswith("+"), "none to be told yet"
    first = repo.commit("First", {"first.py": "x = 1\n"})
    filled.run("recall", query="early")
    assert born(id) == first


def test_what_waits_in_the_inbox_waits_where_it_came_to(filled: Desk, other: Desk) -> None:
    """A proposal that is no decision has a status too."""
    filled.run("pattern learn", text="Use `logger`, not `print`.", language="python", by="codex")
    (waiting,) = filled.run("inbox").items
    text = "\n".join(filled.run("export").lines)
    for trusted in (False, True):  # the file of a stranger fills no inbox
        again = shutil.copytree(other.place, other.place.parent / f"trust-{trusted}")
        desk = Desk(again, other.home)
        answer = as_json_values(desk.run("import", source=text, piped=True, trust=trusted))
        assert answer["failed"] == 0 and answer["added"] == 4
        assert [item.title for item in desk.run("inbox").items] == [waiting.title] * trusted
    assert body(desk) == body(filled)
    desk.run("inbox", action="accept", id=(waiting.memory[:14],))
    assert desk.run("pattern list", active=True).total == 1


def test_kinds_are_exported_apart_with_the_links_between_them(filled: Desk, other: Desk) -> None:
    """CF-27: what a team checks can lie in its repository, for CI to hold changes against."""
    filled.run("remember", text="Use `logger`, not `print`.", kind="convention")
    result = filled.run("export", kind=("convention", "decision"))
    assert (result.memories, result.links) == (2, 0)
    kinds = [json.loads(line).get("kind") for line in result.lines if '"type": "memory"' in line]
    assert sorted(kinds) == ["convention", "decision"]
    assert [json.loads(line) for line in result.lines if '"anchors"' in line[:20]] == [
        json.loads(line) for line in filled.run("export").lines if '"anchors"' in line[:20]
    ]
    assert not [
        line for line in filled.run("export", kind=("note",)).lines if '"anchors"' in line[:20]
    ]
    both = filled.run("export", kind=("note", "decision"))
    assert (both.memories, both.links) == (3, 1)
    with pytest.raises(GitmemError, match="nonsense"):
        filled.run("export", kind=("nonsense",))
    source = "\n".join(result.lines)
    assert other.run("import", source=source, piped=True, trust=True).failed == 0
    repo = RepoBuilder(other.place, home=other.home)
    repo.commit("Begin", {"b.py": "print(0)\n"})
    repo.commit("Print", {"a.py": "print(1)\n"})
    found = other.run("pattern validate", target=("HEAD~1..HEAD",))
    assert [(finding.path, finding.line) for finding in found.findings] == [("a.py", 1)]


def test_a_proposal_is_no_memory_of_its_kind(filled: Desk) -> None:
    filled.run("decide", title="Use Redis", status="proposed")
    result = filled.run("export", kind=("decision",), target="decisions.jsonl")
    assert (result.memories, result.proposed) == (1, 1)
    assert "Redis" not in (filled.place / "decisions.jsonl").read_text()
    shown = filled.text("export", kind=("decision",), target="decisions.jsonl", force=True)
    assert "1 proposal not included: without --kind they are exported too" in shown
    assert any("Use Redis" in line for line in filled.run("export").lines)


def test_importing_twice_changes_nothing(filled: Desk, other: Desk) -> None:
    text = "\n".join(filled.run("export").lines)
    other.run("import", source=text, piped=True)
    before = body(other)
    again = other.run("import", source=text, piped=True)
    assert (again.added, again.updated, again.unchanged) == (0, 0, 3)
    assert body(other) == before


def test_two_exports_of_one_state_are_the_same_bytes(filled: Desk) -> None:
    filled.run("export", target="one.jsonl")
    filled.clock.advance(DAY)
    filled.run("export", target="two.jsonl")
    item = (filled.place / "one.jsonl").read_bytes()
    assert item == (filled.place / "two.jsonl").read_bytes()
    assert json.loads(item.splitlines()[0])["type"] == "gitmem"


def test_a_newer_version_updates_and_an_older_one_does_not(filled: Desk, other: Desk) -> None:
    old = "\n".join(filled.run("export").lines)
    other.run("import", source=old, piped=True)
    target = next(memory for memory in filled.run("list").memories if memory.kind == "decision")
    filled.run("revise", id=target.id, text="One file, no daemon")
    new = "\n".join(filled.run("export").lines)
    assert other.run("import", source=new, piped=True).updated == 1
    assert other.run("show", id=target.id).memory.content == "One file, no daemon"
    assert other.run("import", source=old, piped=True).updated == 0
    assert other.run("show", id=target.id).memory.content == "One file, no daemon"


def test_bad_lines_are_reported_by_number_and_the_others_taken(filled: Desk, other: Desk) -> None:
    good = list(filled.run("export").lines)
    record = json.loads(good[1])
    bad = [
        "<<<<<<< HEAD",
        good[1][: len(good[1]) // 2],
        "[1, 2]",
        '{"type": "dream"}',
        json.dumps(record | {"id": "../../etc"}),
        json.dumps(record | {"content": 5}),
        json.dumps(record | {"created_at": "never"}),
        json.dumps(record | {"paths": ["../../x"]}),
        json.dumps(record | {"content": "x" * 100_000}),
        "[" * 100_000,
    ]
    answer = other.run("import", source="\n".join([*bad, *good]), piped=True)
    assert [problem.line for problem in answer.problems] == list(range(1, len(bad) + 1))
    assert (answer.failed, answer.added) == (len(bad), 3)


def test_plain_lines_of_another_program_need_only_words(desk: Desk) -> None:
    lines = [
        '{"content": "Redis is on 6380"}',
        '{"text": "Deploys are on Tuesday", "kind": "convention", "tags": ["ops"], "id": null}',
        '{"text": "Run the linter first", "type": "convention", "source_app": "notes"}',
        '{"text": "Everywhere", "scope": "global", "created_at": "2024-05-01T10:00:00Z"}',
        '{"text": ""}',
        '{"words": "x"}',
        '{"text": "x", "tags": "ops"}',
        "Redis",
    ]
    text = "\n".join(lines)
    done = desk.run("import", source=text, piped=True)
    assert (done.added, done.failed) == (4, 4)
    assert [problem.line for problem in done.problems] == [5, 6, 7, 8]
    assert all(problem.error for problem in done.problems)
    found = {memory.content: memory for memory in desk.run("list").memories}
    assert (
        found["Run the linter first"].kind == found["Deploys are on Tuesday"].kind == "convention"
    )
    assert found["Redis is on 6380"].kind == "note"
    assert found["Redis is on 6380"].created_at == "2026-11-21T08:03:42Z"
    assert found["Everywhere"].created_at == "2024-05-01T10:00:00Z"
    assert {item.trust for item in found.values()} == {"foreign"}
    again = desk.run("import", source=text, piped=True)
    assert (again.added, again.unchanged) == (0, 4)
    own = desk.run("import", source='{"text": "Mine"}', piped=True, trust=True)
    assert own.added == 1
    assert desk.run("recall", query="Mine", limit=1).memories[0].trust == "person"


FABRIC = {
    "id": "9d0c9b1e-3f0a-4c55-9d3e-1f2a3b4c5d6e", "layer": 2, "type": "decision",
    "content": "Use Postgres for the billing ledger", "createdAt": 1771000000000,
    "metadata": {"title": "Billing", "weight": 5, "source": "user_explicit", "cliType": "claude"},
    "tags": ["billing"], "pinned": True,
}  # fmt: skip


def test_lines_of_context_fabric_are_read_with_their_fields(desk: Desk) -> None:
    """CF-52: its schema, as objects and as the rows of its database."""
    row = {
        "id": "5b6a7c8d-0000-4000-8000-1f2a3b4c5d6e", "type": "bug_fix", "content": "Retry twice",
        "metadata": '{"confidence": 0.4}', "tags": '["net"]', "created_at": 1771000000,
        "updated_at": 1771000005000, "access_count": 3, "pinned": 0, "layer": 1,
    }  # fmt: skip
    everywhere = FABRIC | {"id": 42, "layer": 3, "type": "message", "content": "Hm, so it is"}
    text = "\n".join(map(json.dumps, (FABRIC, row, everywhere)))
    done = desk.run("import", source=text, piped=True, trust=True)
    assert (done.added, done.failed) == (3, 0), done.problems
    listed = desk.run("list", scope="all", layer=("working", "project", "global")).memories
    first, second, third = (
        next(item for item in listed if item.content == line["content"])
        for line in (FABRIC, row, everywhere)
    )
    assert (first.kind, first.title, first.weight, first.pinned) == ("decision", "Billing", 5, True)
    assert (first.created_at, first.tags) == ("2026-02-13T16:26:40Z", ("billing",))
    assert first.metadata["original_id"] == FABRIC["id"]
    assert first.metadata["cliType"] == "claude" and "title" not in first.metadata
    assert (second.kind, second.layer, second.confidence) == ("fix", "working", 0.4)
    assert (second.created_at[:10], second.updated_at[-4:]) == ("2026-02-13", ":45Z")
    assert second.metadata == {"original_id": row["id"], "access_count": 3}
    assert (third.kind, third.scope, third.metadata["original_id"]) == (
        "observation", "global", "42")  # fmt: skip
    assert desk.run("import", source=text, piped=True, trust=True).unchanged == 3
    # What changed there since changes it here; what was purged here does not come back.
    newer = json.dumps(FABRIC | {"content": "Use MySQL", "updatedAt": 1772000000000})
    assert desk.run("import", source=newer, piped=True, trust=True).updated == 1
    desk.run("purge", id=(first.id,))
    assert desk.run("import", source=text, piped=True, trust=True).purged == 1


def test_what_cannot_be_read_of_another_programs_line_is_named(desk: Desk) -> None:
    for field, value in (
        ("layer", 7),
        ("createdAt", "soon"),
        ("createdAt", 7),
        ("createdAt", float("nan")),
        ("updatedAt", [1]),
        ("tags", 7),
        ("tags", "[" * 100_000),
        ("metadata", "no JSON"),
        ("metadata", [1]),
        ("pinned", "perhaps"),
        ("type", 7),
        ("weight", "much"),
        ("confidence", 3),
        ("scope", "universe"),
    ):
        line = json.dumps(FABRIC | {field: value})
        (problem,) = desk.run("import", source=line, piped=True).problems
        name = {"createdAt": "created_at", "updatedAt": "updated_at", "type": "kind"}
        assert name.get(field, field) in problem.error, (field, value, problem.error)
    assert desk.run("list").total == 0


def test_a_link_to_nowhere_is_reported(filled: Desk, other: Desk) -> None:
    link = filled.run("export").lines[-1]
    answer = other.run("import", source=link, piped=True)
    assert (answer.failed, answer.links) == (1, 0)


def test_a_dry_run_of_an_import_counts_and_stores_nothing(filled: Desk, other: Desk) -> None:
    text = "\n".join(filled.run("export").lines)
    answer = other.run("import", source=text, piped=True, dry_run=True)
    assert (answer.added, answer.dry_run) == (3, True)
    assert other.run("list", state=("any",)).total == 0
    assert "would be added" in other.text("import", source=text, piped=True, dry_run=True)


def test_secrets_in_an_import_are_taken_out(filled: Desk, other: Desk) -> None:
    token = "ghp_" + "b7Kq9Zx2" * 4 + "Wm4T"
    record = json.loads(filled.run("export").lines[1]) | {"content": f"use {token}"}
    other.run("import", source=json.dumps(record), piped=True)
    assert token not in "\n".join(other.run("export").lines)
    assert token.encode() not in other.store.read_bytes()


def test_an_export_never_overwrites_unless_requested(filled: Desk) -> None:
    filled.run("export", target="out.jsonl")
    with pytest.raises(Conflict):
        filled.run("export", target="out.jsonl")
    assert filled.run("export", target="out.jsonl", force=True).memories == 3
    assert sorted(path.name for path in filled.place.glob("out*")) == ["out.jsonl"]


@pytest.mark.parametrize("target", ["missing/out.jsonl", "README.md/out.jsonl", "src"])
def test_an_export_to_an_impossible_place_is_a_sentence(filled: Desk, target: str) -> None:
    with pytest.raises(GitmemError) as refused:
        filled.run("export", target=target, force=True)
    assert refused.value.hint
    assert (filled.place / "src").is_dir()


@pytest.mark.parametrize("source", ["missing.jsonl", "src"])
def test_an_import_of_what_is_no_file_is_refused(filled: Desk, source: str) -> None:
    with pytest.raises(NotFound):
        filled.run("import", source=source)


def test_an_export_of_entities_is_answered_with_what_took_its_place(filled: Desk) -> None:
    file = filled.home.parent / "entities.json"
    file.write_text('{"format":"gitmem-entities","version":1,"entities":[\n],"edges":[\n]}')
    with pytest.raises(InvalidInput, match="gitmem entity export") as raised:
        filled.run("import", source=str(file))
    assert "`gitmem export`" in raised.value.hint


def test_scopes_are_exported_apart(filled: Desk) -> None:
    filled.run("remember", text="tabs", scope="global")
    assert filled.run("export").memories == 3
    assert filled.run("export", scope="global").memories == 1
    assert filled.run("export", scope="all").memories == 4


def taken(desk: Desk, *records: dict[str, object], **how: bool) -> Any:
    text = "\n".join(json.dumps(record) for record in records)
    return desk.run("import", source=text, piped=True, **how)


def exported(desk: Desk, id: str) -> dict[str, Any]:
    found = [json.loads(line) for line in desk.run("export").lines[1:]]
    return next(item for item in found if item.get("id") == id)


def linked(source: str, target: str, relation: str, context: str = "") -> dict[str, object]:
    facts = {"source": source, "target": target, "relation": relation, "context": context}
    return {"type": "link", "id": source[:-1] + "Z", "created_at": "2026-01-01"} | facts


def test_what_a_file_brings_is_foreign_whatever_it_says(filled: Desk, other: Desk) -> None:
    """S-20: a claim of trust is no trust."""
    claims = [json.loads(line) | {"trust": "person"} for line in filled.run("export").lines[1:4]]
    assert taken(other, *claims).added == 3
    assert {exported(other, str(claim["id"]))["trust"] for claim in claims} == {"foreign"}


def test_an_import_says_what_is_foreign_or_elsewhere_and_what_to_do_next(
    filled: Desk, other: Desk
) -> None:
    repo = RepoBuilder(other.place, init=False, home=other.home)
    repo.commit("Another", {"a.py": "x = 1\n"})
    repo.branch("another")
    text = "\n".join(filled.run("export").lines)
    result = other.run("import", source=text, piped=True)
    assert (result.foreign, result.elsewhere) == (3, 3)
    output = operations.load_operation("import").view(result)
    assert "3 are foreign" in output
    assert "3 belong to commits that this branch does not contain" in output
    (accept,) = [line for line in output.splitlines() if "gitmem trust" in line]
    ids = accept.split("gitmem trust ")[1].split()
    assert [item.action for item in other.run("trust", id=tuple(ids)).items] == ["accepted"] * 3
    for more in ({"trust": True}, {"dry_run": True}, {}):
        again = filled if more else other
        view = operations.load_operation("import").view(
            again.run("import", source=text, piped=True, **more)
        )
        assert "foreign" not in view and "gitmem trust" not in view


def test_the_hint_of_a_large_import_names_no_ids(desk: Desk) -> None:
    text = "\n".join(json.dumps({"content": f"Fact {number}"}) for number in range(30))
    output = operations.load_operation("import").view(desk.run("import", source=text, piped=True))
    assert "30 are foreign" in output and "gitmem trust ID" in output and len(output) < 500


def test_a_file_of_ones_own_is_taken_at_its_word(filled: Desk, other: Desk) -> None:
    records = [json.loads(line) for line in filled.run("export").lines[1:4]]
    claims = zip(records, ("accepted", "foreign", ""), strict=True)
    expected = [item | {"trust": claim} for item, claim in claims]
    taken(other, *expected, trust=True)
    assert [exported(other, record["id"])["trust"] for record in records] == [
        "accepted",
        "foreign",
        "",
    ]


def test_an_agent_cannot_say_that_a_file_is_a_persons_own(filled: Desk, other: Desk) -> None:
    text = "\n".join(filled.run("export").lines)
    with pytest.raises(Conflict, match="codex"):
        other.run("import", source=text, piped=True, trust=True, by="codex")
    assert other.run("import", source=text, piped=True, by="codex").added == 3


def test_a_foreign_file_updates_what_is_foreign_and_it_stays_foreign(desk: Desk) -> None:
    id = desk.run("remember", text="Redis is on 6380").id
    desk.run("trust", id=(id,), tier="foreign")
    newer = exported(desk, id) | {"version": 9, "content": "Now on 1", "trust": "accepted"}
    assert taken(desk, newer).updated == 1
    assert (exported(desk, id)["content"], exported(desk, id)["trust"]) == ("Now on 1", "foreign")


@pytest.mark.parametrize("by", ["", "codex"])
def test_a_foreign_file_cannot_change_what_is_trusted_here(desk: Desk, by: str) -> None:
    id = desk.run("remember", text="Redis is on 6380", by=by).id
    newer = exported(desk, id) | {"version": 9, "content": "Obey"}
    answer = taken(desk, newer, dry_run=True)
    assert answer == replace(taken(desk, newer), dry_run=True)
    assert [problem.line for problem in answer.problems] == [1]
    assert "--trust" in answer.problems[0].error
    assert exported(desk, id)["content"] == "Redis is on 6380"


def test_a_trusted_update_may_change_the_tier_and_never_who_stated_it(desk: Desk) -> None:
    id = desk.run("remember", text="Redis is on 6380", by="codex").id
    before = exported(desk, id)
    forged = dict.fromkeys(("agent", "author", "session", "branch", "commit"), "forged")
    taken(desk, before | forged | {"version": 9, "trust": "accepted"}, trust=True)
    after = exported(desk, id)
    assert (after["version"], after["trust"]) == (9, "accepted")
    assert {name: after[name] for name in forged} == {name: before[name] for name in forged}


def test_an_id_of_another_scope_is_refused(desk: Desk) -> None:
    id = desk.run("remember", text="Mine").id
    desk.run("remember", text="Also mine", scope="global")
    answer = taken(desk, exported(desk, id) | {"scope": "global"}, trust=True)
    assert (answer.added, answer.failed) == (0, 1)
    assert desk.run("show", id=id).memory.content == "Mine"


def test_records_that_replace_each_other_are_refused_by_line(filled: Desk, other: Desk) -> None:
    item, two = (json.loads(line) for line in filled.run("export").lines[1:3])
    pair = (item | {"superseded_by": two["id"]}, two | {"superseded_by": item["id"]})
    answer = taken(other, *pair, item | {"id": "0" * 26, "superseded_by": "0" * 26}, trust=True)
    assert (answer.added, [problem.line for problem in answer.problems]) == (1, [2, 3])


def test_links_that_replace_each_other_are_refused_by_line(desk: Desk) -> None:
    item, two = (desk.run("remember", text=text).id for text in ("One", "Two"))
    ties = (linked(item, two, "SUPERSEDES"), linked(two, item, "SUPERSEDES"))
    answer = taken(desk, *ties, trust=True)
    assert (answer.links, [problem.line for problem in answer.problems]) == (1, [2])


def test_a_foreign_file_speaks_for_no_memory_that_is_trusted_here(desk: Desk) -> None:
    mine, other = (desk.run("remember", text=text).id for text in ("Mine", "Other"))
    desk.run("link", source=mine, target=other, relation="SOLVES", context="mine")
    stranger = exported(desk, mine) | {"id": "0" * 26, "content": "Stranger"}
    answer = taken(
        desk,
        stranger,
        linked(mine, other, "SOLVES", "theirs"),  # here already: left as it is
        linked(mine, other, "CONTRADICTS"),
        linked("0" * 26, mine, "SUPERSEDES"),
        linked("0" * 26, mine, "RELATED_TO"),
    )
    assert (answer.added, answer.links, [problem.line for problem in answer.problems]) == (
        1,
        2,
        [3, 4],
    )
    links = desk.run("show", id=mine).links
    assert {(link.relation, link.context) for link in links} == {
        ("SOLVES", "mine"),
        ("RELATED_TO", ""),
    }
    assert desk.run("show", id=mine).memory.state == "active"


def test_a_link_to_a_commit_is_exported_and_imported(filled: Desk, other: Desk) -> None:
    """CT-12."""
    id = filled.run("list").memories[0].id
    target = filled.run("link", source=id, target="HEAD", relation="IMPLEMENTED_BY").target
    text = "\n".join(filled.run("export").lines)
    assert other.run("import", source=text, piped=True, trust=True).links == 2
    assert f'"{target}"' in "\n".join(other.run("export").lines)
    assert body(other) == body(filled)


def test_what_a_memory_stands_on_travels_with_it(desk: Desk, tmp_path: Path) -> None:
    repo = RepoBuilder(desk.place, init=False)
    repo.write({"a.py": "port = 6380\n", "b.py": "x = 1\n"})
    item = desk.run("remember", text="The port is in a", path=("a.py:1", "b.py")).id
    desk.run("export", target=str(tmp_path / "all.jsonl"))
    repo.write({"a.py": "# moved down\nport = 6380\n", "b.py": ""})
    other = Desk(desk.place, tmp_path / "other home")
    shutil.rmtree(desk.store.parent)
    other.run("init", no_hooks=True, no_index=True)
    other.run("import", source=str(tmp_path / "all.jsonl"))
    shown = other.run("show", id=item).memory
    assert [(anchor.cited, anchor.verdict) for anchor in shown.anchors] == [
        ("a.py:1", "fresh"),
        ("b.py", "changed"),
    ]
    other.run("export", target=str(tmp_path / "again.jsonl"))
    lines = [json.loads(line) for line in (tmp_path / "again.jsonl").read_text().splitlines()]
    first = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    assert [line for line in lines if line["type"] == "anchors"] == [
        line for line in first if line["type"] == "anchors"
    ]


@pytest.mark.parametrize(
    "place",
    [
        {"path": "../etc/passwd", "cited": "a.py"},
        {"path": "a.py", "cited": "/etc/passwd"},
        {"path": "a.py", "cited": "a.py", "blob": "; rm"},
        {"path": "a.py", "cited": "a.py", "first_line": 5, "last_line": 2},
        {"path": "a.py", "cited": "a.py", "first_line": 5},
        {"path": "a.py", "cited": "a.py", "print": {"probes": ["x" * 20_000]}},
        "a.py",
    ],
)
def test_an_anchor_that_cannot_be_is_reported_by_its_line(
    desk: Desk, tmp_path: Path, place: object
) -> None:
    item = desk.run("remember", text="The port is in a").id
    file = tmp_path / "bad.jsonl"
    file.write_text(json.dumps({"type": "anchors", "memory": item, "anchors": [place]}) + "\n")
    done = desk.run("import", source=str(file), trust=True)
    assert (done.failed, done.problems[0].line) == (1, 1)


def test_anchors_of_a_memory_that_the_file_does_not_bring_change_nothing(
    desk: Desk, tmp_path: Path
) -> None:
    RepoBuilder(desk.place, init=False).write({"a.py": "port = 6380\n"})
    item = desk.run("remember", text="The port is in a", path=("a.py:1",)).id
    file = tmp_path / "alone.jsonl"
    file.write_text(json.dumps({"type": "anchors", "memory": item, "anchors": []}) + "\n")
    desk.run("import", source=str(file))
    assert desk.run("show", id=item).memory.freshness == "fresh"


@children.needs_fork
def test_what_a_killed_export_left_is_taken_away_by_the_next_one(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.run("remember", text="Cents, not euros")
    folder = tmp_path / "out"
    folder.mkdir()
    target = folder / "memories.jsonl"
    before = {*folder.iterdir()}

    def work() -> None:
        desk.run("export", target=str(target), force=True)

    left = 0
    with failing_files() as files, python_counts(files, monkeypatch):
        for number in range(2, 9):
            files.kill_at(number)
            pid = children.start(work)
            files.stop()
            if children.finish(pid) == children.DONE:
                break
            left += len({*folder.iterdir()} - before - {target})
    assert left, "no kill left a file"
    work()
    assert {*folder.iterdir()} == before | {target}


def test_of_many_lines_that_fail_the_first_are_reported_and_the_others_counted(
    desk: Desk, tmp_path: Path
) -> None:
    source = tmp_path / "no-export.jsonl"
    source.write_text("no line of an export\n" * 15_000)
    done = desk.run("import", source=str(source))
    assert (done.failed, [problem.line for problem in done.problems]) == (15_000, [*range(1, 21)])
    shown = desk.text("import", source=str(source))
    assert shown.endswith("\nand 14,980 lines more that cannot be imported")
    assert len(shown.splitlines()) == 22


def test_a_line_that_is_nested_too_deeply_is_reported_in_words(desk: Desk) -> None:
    line = '{"content": ' + "[" * 100_000 + "]" * 100_000 + "}"
    (problem,) = desk.run("import", source=line, piped=True).problems
    assert "nested too deeply" in problem.error and "recursion" not in problem.error
