"""Two clones and a bare remote: what leaves, what comes, and what is settled."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gitmem.errors import Conflict, InvalidInput, NotFound
from tests.sync.conftest import Clone, store_of

Make = Callable[..., Clone]


def refs(hub: Path) -> list[str]:
    words = ["git", "for-each-ref", "--format=%(refname)"]
    return subprocess.run(words, cwd=hub, check=True, capture_output=True, text=True).stdout.split()


def test_nothing_leaves_until_a_person_agreed(clone: Make, hub: Path) -> None:
    ada = clone("ada", enabled=False)
    ada.remember("Redis listens on 6380")
    before = refs(hub)
    for action in ("now", "push", "pull", "prune"):
        with pytest.raises(Conflict, match="not agreed"):
            ada.sync(action)
    with pytest.raises(InvalidInput, match="no terminal"):
        ada.sync("enable")
    with pytest.raises(Conflict):
        ada.run("sync", action="enable", yes=True, by="codex")
    assert refs(hub) == before
    assert ada.sync("status").enabled is False


def test_a_memory_arrives_foreign_with_its_author_and_device(clone: Make, hub: Path) -> None:
    ada, grace = clone("ada"), clone("grace")
    id = ada.remember("Redis listens on 6380", tag="ops")
    other = ada.remember("Postgres is 15")
    ada.run("link", source=id, target=other, relation="RELATED_TO")
    assert ada.sync().sent == 3
    result = grace.sync()
    assert (result.added, result.links, result.problems) == (2, 1, ())
    assert grace.contents() == ada.contents()
    assert set(grace.tiers().values()) == {"foreign"}
    shown = grace.run("show", id=id)
    assert shown.metadata["sync"]["author"] == "Ada"
    assert shown.metadata["sync"]["device"] == ada.sync("status").device
    device = ada.sync("status").device[:8]
    assert f"device  {device} of Ada, by origin" in grace.text("show", id=id)
    assert "Redis" not in grace.text("orient")
    again = grace.sync()
    assert (again.added, again.updated, again.sent) == (0, 0, 0)


def test_the_dry_run_prints_exactly_what_leaves(clone: Make, hub: Path) -> None:
    ada = clone("ada")
    ada.remember("Redis listens on 6380")
    ada.remember("My own thought", tag="private")
    ada.remember("Of this session", layer="working")
    ada.run("remember", text="An agent said so", by="codex")
    ada.remember("Everywhere the same", layer="global")
    planned = ada.sync("push", dry_run=True)
    assert dict(planned.staying) == {"private": 1, "working": 1, "not accepted": 1}
    ada.sync("push")
    (ref,) = [ref for ref in refs(hub) if ref.startswith("refs/gitmem/")]
    words = ["git", "show", f"{ref}:records.jsonl"]
    blob = subprocess.run(words, cwd=hub, check=True, capture_output=True, text=True).stdout
    assert blob.splitlines()[1:] == list(planned.lines)
    assert all(text not in blob for text in ("own thought", "session", "agent said", "Everywhere"))
    assert ada.sync("push", dry_run=True).lines == ()


def test_rules_of_the_user_narrow_what_leaves(clone: Make) -> None:
    ada = clone("ada")
    ada.remember("Of ops", tag="ops")
    ada.remember("Of a file", path="src/app.py")
    ada.run("decide", title="Use SQLite", why="One file")
    ada.run("config", key="sync.include", value="kind:decision,path:src/**")
    assert sorted(item.title for item in ada.sync("push", dry_run=True).items) == [
        "Of a file",
        "Use SQLite",
    ]
    ada.run("config", key="sync.exclude", value="kind:decision")
    assert [item.title for item in ada.sync("push", dry_run=True).items] == ["Of a file"]
    with pytest.raises(InvalidInput, match="colour:red"):
        ada.run("config", key="sync.exclude", value="colour:red")
    with pytest.raises(InvalidInput, match="names no kind of memory: 'decisio'"):
        ada.run("config", key="sync.exclude", value="kind:decisio")
    ada.env["GITMEM_SYNC_EXCLUDE"] = "colour:red"  # nothing leaves by a rule that says nothing
    with pytest.raises(InvalidInput, match="colour:red"):
        ada.sync("push")


def test_an_edit_on_both_sides_is_kept_and_settled_in_the_inbox(clone: Make) -> None:
    ada, grace, third = clone("ada"), clone("grace"), clone("third")
    id = ada.remember("Redis listens on 6380")
    ada.sync(), grace.sync()
    grace.run("trust", id=id)
    grace.revise(id, "Redis listens on 6381")
    grace.sync()
    ada.revise(id, "Redis listens on 6382")
    result = ada.sync()
    assert (result.conflicts, result.waiting) == (1, 1)
    assert ada.contents()[id] == "Redis listens on 6382"
    (item,) = ada.run("inbox").items
    assert (item.kind, item.other) == ("version", id)
    assert item.content == "Redis listens on 6381"
    assert "Grace" in item.reason
    assert sorted(ada.contents().values()) == ["Redis listens on 6381", "Redis listens on 6382"]
    third.sync()
    assert sorted(third.contents().values()) == sorted(ada.contents().values())
    ada.run("inbox", action="accept", id=item.id)
    assert ada.contents() == {id: "Redis listens on 6381"}
    assert ada.sync().sent == 1
    grace.sync(), third.sync()
    for each in (grace, third):
        assert each.contents() == {id: "Redis listens on 6381"}
        assert each.run("inbox").items == ()
        assert each.sync("status").waiting == 0


def test_a_rejected_version_stays_rejected_on_every_device(clone: Make) -> None:
    ada, grace = clone("ada"), clone("grace")
    id = ada.remember("Redis listens on 6380")
    ada.sync(), grace.sync()
    grace.run("trust", id=id)
    grace.revise(id, "Redis listens on 6381")
    grace.sync(), ada.sync()
    assert ada.contents()[id] == "Redis listens on 6380", "a foreign device changes nothing of mine"
    (item,) = ada.run("inbox").items
    ada.run("inbox", action="reject", id=item.id)
    assert ada.sync().sent == 1
    assert ada.contents() == {id: "Redis listens on 6380"}
    assert ada.sync().conflicts == 0
    grace.sync()
    assert [each.content for each in grace.run("inbox").items] == ["Redis listens on 6380"]


def test_tags_added_on_both_sides_are_joined(clone: Make) -> None:
    ada, grace = clone("ada"), clone("grace")
    id = ada.remember("Redis listens on 6380", tag="ops")
    ada.sync(), grace.sync()
    ada.run("revise", id=id, tag=("ops", "cache"))
    ada.sync()
    grace.run("trust", id=id)
    grace.run("revise", id=id, tag=("ops", "port"))
    result = grace.sync()
    assert result.conflicts == 0


def test_a_purge_travels_and_prune_takes_the_text_out(clone: Make, hub: Path) -> None:
    ada, grace = clone("ada"), clone("grace")
    id = ada.remember("The password hint is the dog")
    other = ada.remember("Redis listens on 6380")
    ada.sync(), grace.sync()
    ada.run("purge", id=id)
    ada.sync()
    result = grace.sync()
    assert result.purged == 1
    assert set(grace.contents()) == {other}
    assert "dog" not in grace.store.read_bytes().decode("latin-1")
    assert ada.sync("prune").pruned == 1
    (tip,) = [ref for ref in refs(hub) if ref.startswith("refs/gitmem/")]
    words = ["git", "rev-list", "--objects", "--no-object-names", tip]
    listed = subprocess.run(words, cwd=hub, check=True, capture_output=True, text=True).stdout
    for name in listed.split():
        words = ["git", "cat-file", "-p", name]
        assert b"dog" not in subprocess.run(words, cwd=hub, capture_output=True).stdout
    assert grace.sync().problems == ()
    late = clone("late")
    late.sync()
    assert set(late.contents()) == {other}


def test_a_hostile_device_ends_and_changes_nothing_of_others(clone: Make, hub: Path) -> None:
    ada, grace, eve = clone("ada"), clone("grace"), clone("eve")
    id = ada.remember("Redis listens on 6380")
    ada.sync(), grace.sync(), eve.sync()
    eve.run("trust", id=id)
    eve.revise(id, "Redis listens on evil.example")
    eve.sync()
    eve.run("purge", id=id)
    eve.sync(), ada.sync(), grace.sync()
    assert ada.contents()[id] == "Redis listens on 6380"
    assert ada.tiers()[id] == "person"
    assert grace.contents()[id] == "Redis listens on 6380", "not even a foreign memory of Ada's"
    assert "Ada" in grace.text("show", id=id)
    assert grace.tiers()[id] == "foreign"
    assert {item.kind for item in ada.run("inbox").items} == {"version", "stale"}


def test_a_store_restored_from_a_backup_gets_its_memories_back(clone: Make) -> None:
    ada, grace = clone("ada"), clone("grace")
    first = ada.remember("Redis listens on 6380")
    ada.sync()
    ada.run("backup", target=str(ada.home / "old.db"))
    second = ada.remember("Postgres is 15")
    ada.sync(), grace.sync()
    ada.run("restore-backup", source=str(ada.home / "old.db"))
    assert set(ada.contents()) == {first}
    result = ada.sync()
    assert result.added == 1
    assert ada.tiers() == {first: "person", second: "person"}, "what it had sealed is its own"
    third = ada.remember("Kafka is 3")
    ada.sync(), grace.sync()
    assert set(grace.contents()) == {first, second, third}


def test_two_stores_with_one_id_lose_nothing(clone: Make, tmp_path: Path) -> None:
    ada, grace = clone("ada"), clone("grace")
    ada.remember("Redis listens on 6380")
    ada.sync()
    shutil.copytree(ada.home, tmp_path / "home-twin")
    shutil.copytree(ada.place, tmp_path / "twin")
    twin = Clone(tmp_path / "twin", tmp_path / "home-twin")
    ada.remember("From the first")
    twin.clock.advance(5000)
    twin.remember("From the copy")
    ada.sync()
    result = twin.sync()
    assert "new one" in result.warnings[0]
    twin.sync(), ada.sync(), grace.sync()
    everything = {"Redis listens on 6380", "From the first", "From the copy"}
    for each in (ada, twin, grace):
        assert set(each.contents().values()) == everything


def test_lost_records_are_written_again(clone: Make) -> None:
    ada, grace = clone("ada"), clone("grace")
    ada.remember("Redis listens on 6380")
    ada.sync()
    ada.remember("Postgres is 15")
    ada.sync("pull")  # written as a record, not pushed
    shutil.rmtree(ada.records)
    assert ada.sync("push").sent == 1
    grace.sync()
    assert len(grace.contents()) == 2
    shutil.rmtree(ada.records)
    assert ada.sync().sent == 0, "all of it was sent before"
    assert grace.run("inbox").items == ()
    assert ada.run("inbox").items == ()


def test_a_secret_stops_the_push_and_is_named(clone: Make) -> None:
    ada = clone("ada")
    id = ada.remember("The key of the cache")
    app = ada.app()
    from gitmem.model.frozen import replace
    from gitmem.store.memory import memories, memory_rows
    from tests.support.secrets import SECRET

    with app.store.write() as database:
        old = memories.get_memory(database, id)
        assert old is not None
        row = memory_rows.memory_to_row(replace(old, content=f"It is {SECRET}"), database)
        names = memory_rows.WRITTEN[: len(row)]
        sets = ", ".join(f"{name} = ?" for name in names)
        database.run(f"UPDATE memories SET {sets} WHERE id = ?", (*row, id))
    app.close()
    with pytest.raises(Conflict, match=id[:12]) as refused:
        ada.sync("push")
    assert f"gitmem revise {id[:12]} --tag private" in refused.value.hint
    ada.run("revise", id=id, tag=("private",))
    assert ada.sync("push").sent == 0


def test_the_address_that_was_agreed_on_is_the_only_one(clone: Make, tmp_path: Path) -> None:
    ada = clone("ada")
    ada.remember("Redis listens on 6380")
    ada.git("remote", "set-url", "origin", str(tmp_path / "elsewhere.git"))
    with pytest.raises(Conflict, match="another than the one"):
        ada.sync("push")
    ada.git("remote", "remove", "origin")
    with pytest.raises(NotFound, match="no remote"):
        ada.sync("push")
    assert ada.sync("status").remote == ""
    assert "none to share by, add one: git remote add" in ada.text("sync", action="status")
    with pytest.raises(NotFound, match="no remote 'nowhere'"):
        ada.sync("status", remote="nowhere")


def test_nothing_of_it_is_in_the_users_own_repository(clone: Make) -> None:
    ada, grace = clone("ada"), clone("grace")
    ada.remember("Redis listens on 6380")
    ada.sync(), grace.sync()
    assert "refs/gitmem" not in ada.git("for-each-ref") + grace.git("for-each-ref")
    assert len(grace.git("log", "--all", "--oneline").splitlines()) == 1
    grace.git("fetch", "--quiet", "--all", "--tags")
    assert len(grace.git("log", "--all", "--oneline").splitlines()) == 1
    ada.git("config", "remote.origin.mirror", "true")
    assert "--mirror" in ada.sync("status").warnings[0]


def test_json_and_text_say_the_same(clone: Make) -> None:
    ada = clone("ada")
    ada.remember("Redis listens on 6380")
    assert "1 record would leave" in ada.text("sync", action="push", dry_run=True)
    assert "sent 1 record" in ada.text("sync", action="push")
    status = ada.text("sync", action="status")
    assert "shared" in status and "to send    0 records" in status
    assert json.dumps(ada.sync("status").device)


def test_a_file_without_records_says_why_and_what_would_be_shared(clone: Make) -> None:
    ada = clone("ada", enabled=False)
    ada.remember("My own thought", tag="private")
    ada.run("remember", text="The port of Redis is 6380", by="codex")
    text = ada.text("export", target=str(ada.place / "memories.jsonl"), records=True)
    assert text.split("\n")[1] == "not shared: 1 not accepted, 1 private"
    assert "gitmem trust ID" in text.split("\n")[2]


def test_a_file_of_the_same_records_is_stable_and_read_as_foreign(clone: Make) -> None:
    ada, grace = clone("ada", enabled=False), clone("grace", enabled=False)
    id = ada.remember("Redis listens on 6380", path="README.md:1")
    other = ada.remember("Postgres is 15")
    ada.remember("My own thought", tag="private")
    ada.run("link", source=id, target=other, relation="RELATED_TO")
    file = ada.place / "memories.jsonl"
    done = ada.run("export", target=str(file), records=True)
    assert (done.memories, done.links) == (2, 1)
    before = file.read_bytes()
    ada.run("export", target=str(file), records=True, force=True)
    assert file.read_bytes() == before
    assert b"own thought" not in before
    result = grace.run("import", source=str(file))
    assert (result.added, result.links, result.failed, result.foreign) == (2, 1, 0, 2)
    assert grace.contents() == {id: "Redis listens on 6380", other: "Postgres is 15"}
    ada.revise(id, "Redis listens on 6381")
    ada.run("export", target=str(file), records=True, force=True)
    assert grace.run("import", source=str(file)).updated == 1
    assert grace.contents()[id] == "Redis listens on 6381"
    lines = file.read_bytes().splitlines()
    file.write_bytes(b"\n".join([lines[0], lines[1][:-9], *lines[2:]]))
    assert grace.run("import", source=str(file)).failed == 1


def test_a_repository_with_longer_ids_of_objects(clone: Make, tmp_path: Path) -> None:
    hub, place = tmp_path / "long.git", tmp_path / "long"
    for path, more in ((hub, ["--bare"]), (place, [])):
        words = ["git", "init", "-q", "-b", "main", "--object-format=sha256", *more, str(path)]
        subprocess.run(words, check=True)
    (tmp_path / "home-long").mkdir()
    long = Clone(place, tmp_path / "home-long")
    long.git("commit", "-q", "--allow-empty", "-m", "Start")
    long.git("remote", "add", "origin", str(hub))
    long.run("init")
    long.sync("enable", yes=True)
    for text in ("Redis listens on 6380", "Postgres is 15"):
        long.remember(text)
        assert long.sync().sent == 1
    (ref,) = refs(hub)
    assert ref.startswith("refs/gitmem/devices/")


def test_a_purge_here_takes_the_other_version_along(clone: Make) -> None:
    ada, grace, id = edited_elsewhere(clone)
    ada.run("purge", id=id)
    assert ada.contents() == {}
    assert b"the cat" not in ada.store.read_bytes()
    assert ada.sync("status").waiting == 0
    ada.sync(), grace.sync()
    assert ada.contents() == {}


def edited_elsewhere(clone: Make) -> tuple[Clone, Clone, str]:
    """A clone in whose inbox the version of another waits, the other, and the memory's id."""
    ada, grace = clone("ada"), clone("grace")
    id = ada.remember("The password hint is the dog")
    ada.sync(), grace.sync()
    grace.run("trust", id=id)
    grace.revise(id, "The password hint is the cat")
    grace.sync(), ada.sync()
    assert len(ada.contents()) == 2
    return ada, grace, id


def test_a_version_that_waited_goes_when_its_device_is_accepted(clone: Make) -> None:
    ada, _, id = edited_elsewhere(clone)
    ada.run("trust", remote="origin", yes=True)
    assert ada.contents() == {id: "The password hint is the cat"}
    assert ada.run("inbox").items == ()
    ada.run("purge", id=id)
    assert b"the cat" not in ada.store.read_bytes()


@pytest.mark.parametrize("action", ["accept", "reject", "purge"])
def test_a_version_goes_even_if_its_record_no_longer_names_it(clone: Make, action: str) -> None:
    ada, _, id = edited_elsewhere(clone)
    with store_of(ada) as database, database.write():
        database.run("UPDATE sync_records SET state = '', copy = ''")
    if action != "purge":
        (item,) = ada.run("inbox").items
        ada.run("inbox", action=action, id=item.id)
        assert list(ada.contents()) == [id]
    ada.run("purge", id=id)
    assert ada.contents() == {}
    assert b"the cat" not in ada.store.read_bytes()


def test_an_edit_that_stays_here_is_not_replaced(clone: Make) -> None:
    ada, grace = clone("ada"), clone("grace")
    id = ada.remember("Redis listens on 6380")
    ada.sync(), grace.sync()
    grace.revise(id, "My own reading of it")  # of a foreign memory: it does not leave
    assert grace.sync().sent == 0
    ada.revise(id, "Redis listens on 6381")
    ada.sync()
    assert grace.sync().conflicts == 1
    assert grace.contents()[id] == "My own reading of it"
    (item,) = grace.run("inbox").items
    grace.run("inbox", action="accept", id=item.id)
    assert grace.contents() == {id: "Redis listens on 6381"}


def test_the_summary_of_a_persons_session_is_shared(clone: Make) -> None:
    ada, grace = clone("ada"), clone("grace")
    ada.run("session start", goal="Move to Redis 7")
    ada.run("session end", summary="Moved; the cache is empty until Monday")
    ada.run("session start", goal="Of an agent", by="codex")
    ada.run("session end", summary="An agent's own words", by="codex")
    assert ada.sync().sent == 1
    assert grace.sync().added == 1
    (item,) = grace.run("list").memories
    assert (item.kind, item.title, item.trust) == ("summary", "Move to Redis 7", "foreign")
    assert ada.sync().sent == 0
    ada.run("purge", id=item.id)
    ada.sync()
    assert grace.sync().purged == 1


def test_a_pruned_purge_leaves_no_byte_where_it_was_taken(clone: Make) -> None:
    ada, grace = clone("ada"), clone("grace")
    id = ada.remember("The password hint is the dog")
    ada.sync(), grace.sync()
    ada.run("purge", id=id)
    ada.sync("prune")
    assert grace.sync().purged == 1
    for each in (ada, grace):
        words = ["git", "cat-file", "--batch", "--batch-all-objects"]
        done = subprocess.run(words, cwd=each.records, check=True, capture_output=True)
        assert b"dog" not in done.stdout
