"""Old memories behind a summary of their own sentences, and back as they were (CF-41)."""

from __future__ import annotations

import json
import re

import pytest

from gitmem.errors import Conflict, InvalidInput, NotFound
from gitmem.maintenance import summaries
from tests.support.apps import DAY, HOUR, Desk
from tests.support.repos import RepoBuilder

NOTES = (
    "The demo server is called otter. It runs on port 8081. Ask Grace for access.",
    "Redis listens on 6380 in CI. The port is set in ci/redis.conf.",
    "The staging demo server was moved to Frankfurt. Latency fell to 12 ms.",
    "The nightly job fails when the disk of the demo server is full. Clean /tmp, then restart it.",
)
# A second sentence, which a summary may leave out.
MORE = "That was seen on a morning in May, and nobody has looked into it any further since then."


def remember(desk: Desk, text: str, **values: object) -> str:
    return str(desk.run("remember", text=text, **values).id)


@pytest.fixture
def month(desk: Desk) -> Desk:
    """A desk with four notes, all of them 45 days old."""
    for text in NOTES:
        remember(desk, text, tag=("ops",))
        desk.clock.advance(HOUR)
    desk.clock.advance(45 * DAY)
    return desk


def state(desk: Desk, id: str) -> str:
    return str(desk.run("show", id=id).memory.state)


def ids(desk: Desk) -> list[str]:
    return [memory.id for memory in desk.run("list", state=("any",)).memories]


def test_a_month_is_summarised_and_comes_back_byte_for_byte(month: Desk) -> None:
    before, originals = month.text("export"), ids(month)
    looked = month.run("summarize", dry_run=True)
    assert month.text("export") == before
    (made,) = month.run("summarize", older_than="30d").made
    assert (looked.made[0].text, looked.made[0].title) == (made.text, made.title)
    assert made.tokens < made.before
    assert [memory.id for memory in month.run("list").memories] == [made.id]
    assert {state(month, id) for id in originals} == {"archived"}
    found = month.run("recall", query="nightly job disk").memories
    assert [item.id for item in found] == [made.id]
    shown = month.run("show", id=made.id)
    assert {(link.relation, link.id) for link in shown.links} == {
        ("SUMMARISES", id) for id in originals
    }
    assert (shown.memory.kind, shown.memory.tags) == ("summary", ("ops",))
    assert [version.action for version in month.run("history", id=originals[0]).versions][-1] == (
        "summarised"
    )
    undone = month.run("summarize", undo=made.handle).undone
    assert (undone.summary, sorted(undone.back)) == ("removed", sorted(originals))
    assert month.text("export") == before
    # What was undone can be done again, and comes to the same.
    assert month.run("summarize").made[0].text == made.text


def test_what_faded_before_is_found_again_by_its_summary(month: Desk) -> None:
    while month.run("decay").archived:
        pass
    before = month.text("export")
    assert month.run("recall", query="nightly job disk").memories == ()
    (made,) = month.run("summarize").made
    assert len(made.memories) == 4 and month.run("summarize").made == ()
    assert [memory.id for memory in month.run("recall", query="nightly job disk").memories] == [
        made.id
    ]
    undone = month.run("summarize", undo=made.id).undone
    assert (len(undone.back), undone.changed, undone.gone) == (4, (), 0)
    assert month.text("export") == before


def test_each_summary_has_a_handle_that_means_it_alone(month: Desk) -> None:
    for at in range(3):
        remember(month, f"Window {at} was opened by a cat. {MORE}", kind="observation")
    month.clock.advance(45 * DAY)
    made = month.run("summarize").made
    assert len(made) == 2
    for item in made:
        assert month.run("show", id=item.handle).memory.id == item.id


def test_what_is_shorter_than_its_summary_stays(desk: Desk) -> None:
    """With the ids that it cites, a summary of single sentences would be the longer text."""
    short = [remember(desk, f"Port {8000 + at} is taken") for at in range(4)]
    desk.clock.advance(45 * DAY)
    done = desk.run("summarize")
    assert (done.made, [(stay.why, stay.count) for stay in done.stays]) == (
        (),
        [("shorter than their summary", 4)],
    )
    assert {state(desk, id) for id in short} == {"active"}


def test_every_sentence_cites_memories_that_say_it(month: Desk) -> None:
    (made,) = month.run("summarize").made
    cited = set()
    for line in made.text.split("\n"):
        text, handles = re.fullmatch(r"- (.*) \[([0-9A-Z, ]+)\]", line).groups()  # type: ignore[union-attr]
        for handle in handles.split(", "):
            shown = month.run("show", id=handle).memory
            cited.add(shown.id)
            for sentence in re.findall(r"[^.]+\.(?=\s|$)", text):
                assert sentence.strip() in shown.content
    assert cited == set(made.memories)


def test_what_stays_whatever_its_age(month: Desk) -> None:
    stays = {
        "pinned": remember(month, "Deploys are on Tuesday", pin=True),
        "decision": month.run("decide", title="Use SQLite").id,
        "convention": remember(month, "Use tabs in Go files", kind="convention"),
        "important": remember(month, "The key is in the vault", importance=0.8),
        "expires anyway": remember(month, "The fair is in spring", ttl="900d"),
        "fix": remember(month, "The lock was held twice", kind="fix"),
        "marked critical": remember(month, "Never drop the queue", tag=("critical-custom",)),
        "linked to others": remember(month, "The port was changed after the incident"),
        "used since": remember(month, "The wiki is at wiki.example.org"),
        "too few of a month": remember(month, "Grace saw a flicker", kind="observation"),
    }
    month.run("link", source=stays["linked to others"], target=stays["fix"], relation="CAUSES")
    restored = remember(month, "The cache is warm by seven")
    month.run("forget", id=(restored,))
    month.run("restore", id=(restored,))
    month.clock.advance(45 * DAY)
    for _ in range(2):
        month.clock.advance(HOUR)
        month.run("recall", query="wiki.example.org")
    remember(month, "A fresh note about the demo server")
    done = month.run("summarize")
    counted = {stay.why: stay.count for stay in done.stays}
    # The fix is linked as well; its kind is told first.
    assert counted == dict.fromkeys((*stays, "restored"), 1)
    assert {state(month, id) for id in (*stays.values(), restored)} == {"active"}
    assert len(done.made) == 1 and len(done.made[0].memories) == len(NOTES)


def test_a_kind_by_name_and_those_that_are_none_to_name(month: Desk) -> None:
    for number in range(3):
        remember(month, f"Lock {number} was held twice by a worker. {MORE}", kind="fix")
    month.clock.advance(45 * DAY)
    assert [len(item.memories) for item in month.run("summarize", kind=("fix",)).made] == [3]
    for kind in ("decision", "rule", "skill"):
        with pytest.raises(InvalidInput, match="never summarised"):
            month.run("summarize", kind=(kind,))
    with pytest.raises(InvalidInput):
        month.run("summarize", kind=("poem",))


def test_what_changes_meanwhile_is_left_as_it_is(
    month: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody corrects a note between the reading and the writing: nothing is half-done."""
    first = ids(month)[0]
    taken = summaries._make_memory

    def slowly(*given: object) -> object:
        month.run("revise", id=first, text="The demo server is called badger.")
        return taken(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(summaries, "_make_memory", slowly)
    done = month.run("summarize")
    assert done.made == () and done.stays[0].why == "changed a moment ago"
    assert {state(month, id) for id in ids(month)} == {"active"}
    assert month.run("show", id=first).memory.content == "The demo server is called badger."


def test_a_write_that_fails_leaves_nothing_half_done(month: Desk) -> None:
    before = month.text("export")
    app = month.app()
    app.store.connection.execute(
        "CREATE TEMP TRIGGER full BEFORE INSERT ON main.links WHEN "
        "(SELECT count(*) FROM main.links) = 2 BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
    )
    with pytest.raises(Exception, match="full"):
        summaries.summarise_memories(app, min_age_ms=DAY, kinds=(), max_tokens=600, dry_run=False)
    app.close()
    assert month.text("export") == before


def test_what_was_changed_in_the_archive_comes_back_with_that(month: Desk) -> None:
    (made,) = month.run("summarize").made
    first, second, third, last = made.memories
    month.run("restore", id=(first,))
    month.run("revise", id=second, text="Redis listens on 6399 in CI.")
    month.run("forget", id=(first,))
    undone = month.run("summarize", undo=made.id).undone
    assert set(undone.back) == {third, last} and set(undone.changed) == {first, second}
    assert month.run("show", id=second).memory.content == "Redis listens on 6399 in CI."


def test_a_summary_that_somebody_changed_goes_to_the_archive(month: Desk) -> None:
    (made,) = month.run("summarize").made
    month.run("revise", id=made.id, text="In short: it works.")
    assert month.run("summarize", undo=made.id).undone.summary == "archived"
    assert month.run("show", id=made.id).memory.content == "In short: it works."
    with pytest.raises(Conflict, match="not a summary in use"):
        month.run("summarize", undo=made.id)


def test_undo_of_what_is_no_summary(month: Desk) -> None:
    with pytest.raises(Conflict, match="not a summary in use"):
        month.run("summarize", undo=ids(month)[0])
    with pytest.raises(NotFound):
        month.run("summarize", undo="ZZZZZZZZ")
    for more in ({"dry_run": True}, {"older_than": "3d"}, {"kind": ("note",)}):
        with pytest.raises(InvalidInput, match="cannot be combined"):
            month.run("summarize", undo=ids(month)[0], **more)


def test_an_agent_summarises_what_agents_stated_and_takes_back_that(month: Desk) -> None:
    for what in ("lamp in the hall flickers", "fonts of the shop load late", "tests need Java"):
        remember(month, f"I saw that the {what}. {MORE}", by="codex")
    month.clock.advance(45 * DAY)
    (made,) = month.run("summarize", by="codex").made
    assert len(made.memories) == 3
    assert month.run("show", id=made.id).memory.trust == "agent"
    (own,) = month.run("summarize").made
    with pytest.raises(Conflict, match="said by a person"):
        month.run("summarize", undo=own.id, by="codex")
    month.run("summarize", undo=made.id, by="codex")


def test_what_is_foreign_or_marked_wrong_is_not_reported_in_a_summary(month: Desk) -> None:
    wrong, foreign = ids(month)[:2]
    month.run("feedback", id=(wrong,), wrong=True)
    month.run("trust", id=(foreign,), tier="foreign")
    month.clock.advance(45 * DAY)
    done = month.run("summarize")
    assert done.made == ()
    assert ("of another branch, foreign or marked wrong", 2) in [
        (stay.why, stay.count) for stay in done.stays
    ]


def test_what_a_summary_quotes_is_not_purged_alone(month: Desk) -> None:
    (made,) = month.run("summarize").made
    first = made.memories[0]
    with pytest.raises(Conflict, match="quotes sentences of"):
        month.run("purge", id=(first,))
    assert state(month, first) == "archived"
    month.run("purge", id=(first, made.id))
    assert not any("otter" in line for line in month.text("export").split("\n"))


def test_old_notes_can_be_imported_and_summarised_at_once(desk: Desk) -> None:
    """An import counts as a use, so that nothing fades at once; a summary is asked for."""
    lines = (
        json.dumps({"content": f"{text} {MORE}", "created_at": "2026-08-03T10:00:00Z"})
        for text in NOTES
    )
    desk.run("import", source="\n".join(lines), piped=True, trust=True)
    before = desk.text("export")
    (made,) = desk.run("summarize").made
    assert made.title == "Summary of 4 memories (note), 2026-08-03"
    desk.run("summarize", undo=made.id)
    assert desk.text("export") == before


def test_an_export_carries_the_summary_and_its_links(month: Desk) -> None:
    (made,) = month.run("summarize").made
    lines = month.text("export")
    assert lines.count('"SUMMARISES"') == 4
    done = month.run("import", source=lines, piped=True, trust=True)
    assert (done.failed, done.unchanged) == (0, 5)
    assert month.run("related", id=made.id, relation="SUMMARISES").items


def test_nothing_to_do_is_reported(desk: Desk) -> None:
    assert desk.text("summarize") == "0 memories summarised in 0 summaries"


def test_another_branch_keeps_its_own(month: Desk, repo: RepoBuilder) -> None:
    """What was noted on a branch is neither summarised elsewhere nor told there."""
    repo.git("checkout", "-q", "-b", "lab")
    repo.commit("Try it", {"lab.py": "x = 1\n"})
    for what in ("laser is red", "mirror is cracked", "lens is from Jena"):
        remember(month, f"In the lab the {what}. {MORE}")
    repo.git("checkout", "-q", "main")
    month.clock.advance(45 * DAY)
    (made,) = month.run("summarize").made
    assert len(made.memories) == len(NOTES) and "lab" not in made.text
    repo.git("checkout", "-q", "lab")
    (there,) = month.run("summarize").made
    assert len(there.memories) == 3
    shown = month.run("show", id=there.id).memory
    assert shown.branch == "lab"
    repo.git("checkout", "-q", "main")
    assert [memory.id for memory in month.run("list").memories] == [made.id]
