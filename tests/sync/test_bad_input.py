"""What a remote may hold: garbage, cut, forged and huge records. Each is refused, the rest read."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gitmem.errors import Conflict, Unavailable
from gitmem.git.record_repository import OWN
from gitmem.sync import record, segment
from tests.sync.conftest import Clone

Make = Callable[..., Clone]
EVE = "e" * 32
ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
KEY = b"k" * 32
BODY = {"content": "Told by somebody", "created_at": "2026-01-01T00:00:00.000Z", "kind": "note"}


def made(number: int = 1, **more: object) -> record.SyncRecord:
    fields = {
        "kind": "memory",
        "id": ID[:-3] + f"{number:03d}",
        "device": EVE,
        "counter": number,
        "parent_hashes": (),
        "created_ms": 1_767_225_600_000,
        "body": BODY,
    }
    return record.make_record(**(fields | more))  # type: ignore[arg-type]


def git(place: Path, *args: str, stdin: bytes = b"") -> str:
    env = os.environ | {f"GIT_{who}_{what}": "e@x" for who in ("AUTHOR", "COMMITTER")
                        for what in ("NAME", "EMAIL")}  # fmt: skip
    done = subprocess.run(
        ["git", *args], cwd=place, input=stdin, env=env, check=True, capture_output=True
    )
    return done.stdout.decode().strip()


def plant(hub: Path, *contents: bytes, device: str = EVE, ref: str = "") -> None:
    """Put blobs onto a device's ref of the remote, as anybody may who can push there."""
    entries = ""
    for number, content in enumerate(contents):
        blob = git(hub, "hash-object", "-w", "--stdin", stdin=content)
        entries += f"100644 blob {blob}\t{number:03d}-records.jsonl\n"
    tree = git(hub, "mktree", stdin=entries.encode())
    commit = git(hub, "commit-tree", tree, "-m", "x")
    git(hub, "update-ref", ref or f"{OWN}{device}", commit)


def whole(*records: record.SyncRecord) -> bytes:
    (content,) = segment.make_segments(records, device=EVE, author="Eve", seal_key=KEY)
    return content


def line_with(**fields: object) -> bytes:
    """A record whose fields were changed after its hash was made."""
    return json.dumps({**json.loads(record.record_as_line(made())), **fields}).encode()


GOOD = whole(made(2))
HEAD = GOOD.split(b"\n", 1)[0] + b"\n"
BAD = {
    "not records": b"\x00\xff garbage",
    "empty": b"",
    "cut off": GOOD[: len(GOOD) // 2 + len(HEAD) // 2],
    "not JSON": HEAD + b"{nonsense\n",
    "not an object": HEAD + b"[1, 2]\n",
    "nested": HEAD + b"[" * 100_000 + b"\n",
    "not UTF-8": HEAD + b'{"v": 1, "id": "\xff"}\n',
    "wrong hash": HEAD + line_with(hash="0" * 64) + b"\n",
    "changed body": HEAD + line_with(body={**BODY, "content": "Other"}) + b"\n",
    "unknown version": HEAD + line_with(v=99) + b"\n",
    "header of an unknown version": HEAD.replace(b'"v":1', b'"v":9') + b"\n",
    "another device": HEAD + record.record_as_line(made(device="d" * 32)).encode() + b"\n",
    "long line": HEAD + b'"' + b"x" * record.MAX_LINE_BYTES + b'"\n',
    "infinite number": HEAD + line_with(counter=float("inf")) + b"\n",
    "wrong id": HEAD + line_with(id="../../etc/passwd") + b"\n",
    "body of a tombstone": HEAD + line_with(kind="tombstone") + b"\n",
    "too many parents": HEAD + line_with(parents=["0" * 64] * 100) + b"\n",
    "content too long": whole(made(body={**BODY, "content": "x" * 100_000})),
    "no content": whole(made(body={"kind": "note"})),
    "time of nonsense": whole(made(body={**BODY, "created_at": "soon"})),
    "path outside": whole(made(body={**BODY, "paths": ["../../etc/passwd"]})),
    "tags of nonsense": whole(made(body={**BODY, "tags": [[[]]]})),
    "metadata of nonsense": whole(made(body={**BODY, "metadata": [1]})),
    "anchors of nonsense": whole(made(body={**BODY, "anchors": {"a": 1}})),
}
QUIET = {"metadata of nonsense", "empty", "path outside"}  # read without the nonsense, or nothing


@pytest.mark.parametrize("name", BAD)
def test_a_bad_record_is_refused_and_the_others_are_read(clone: Make, hub: Path, name: str) -> None:
    ada = clone("ada")
    mine = ada.remember("Redis listens on 6380")
    plant(hub, BAD[name], GOOD, BAD[name] + b"\n" + GOOD.split(b"\n", 1)[1])
    result = ada.sync()
    assert made(2).id in ada.contents()
    assert ada.contents()[mine] == "Redis listens on 6380"
    assert result.sent == 1
    assert name in QUIET or any(each.device == EVE for each in result.problems), result
    assert all(each.error.endswith(".") for each in result.problems)
    assert ada.sync().added == 0


def test_a_blob_of_a_gigabyte_is_not_read(clone: Make, hub: Path) -> None:
    ada = clone("ada")
    size = 1 << 30 if os.environ.get("GITMEM_TEST_THOROUGH") else 40 << 20
    plant(hub, b"\n" * size, GOOD)
    result = ada.sync()
    assert result.added == 1
    assert any("too large" in each.error for each in result.problems)


def test_refs_of_no_device_and_no_commit_are_named(clone: Make, hub: Path) -> None:
    ada = clone("ada")
    plant(hub, GOOD)
    blob = git(hub, "hash-object", "-w", "--stdin", stdin=b"just a blob")
    git(hub, "update-ref", f"{OWN}{'b' * 32}", blob)
    plant(hub, GOOD, ref=f"{OWN}evil;touch x".replace(" ", "-"))
    result = ada.sync()
    assert result.added == 1
    assert {each.device for each in result.problems} == {"", "b" * 32}


def test_a_device_speaks_for_nobody_else(clone: Make, hub: Path) -> None:
    """Records on this device's own ref that it did not write are not taken for its own."""
    ada = clone("ada")
    mine = ada.remember("Redis listens on 6380")
    ada.sync()
    device = ada.sync("status").device
    forged = [
        made(counter=10**6, device=device, id=mine, body={**BODY, "trust": "person"}),
        made(counter=10**6 + 1, device=device, id=mine, kind="tombstone", body={}),
    ]
    (content,) = segment.make_segments(forged, device=device, author="Ada", seal_key=KEY)
    plant(hub, content, device=device)
    result = ada.sync()
    assert ada.contents()[mine] == "Redis listens on 6380"
    assert ada.tiers()[mine] == "person"
    assert "new one" in result.warnings[0]
    assert ada.sync("status").device != device
    late = clone("late")
    late.sync()
    assert set(late.tiers().values()) == {"foreign"}


def test_a_huge_counter_does_not_stop_edits(clone: Make, hub: Path) -> None:
    ada = clone("ada")
    plant(hub, whole(made(counter=record.MAX_COUNTER)))
    ada.sync()
    id = made().id
    ada.run("trust", id=id)
    ada.revise(id, "Mine now")
    assert ada.sync().sent == 1
    late = clone("late")
    late.sync()
    assert late.contents()[id] == "Mine now"


@pytest.mark.parametrize("options", [("--depth=1",), ("--filter=blob:none",)])
def test_shallow_and_partial_clones_share_as_others_do(
    clone: Make, hub: Path, options: tuple[str, ...]
) -> None:
    git(hub, "config", "uploadpack.allowFilter", "true")
    ada, other = clone("ada"), clone("other", options=options)
    ada.remember("Redis listens on 6380")
    ada.sync()
    assert other.sync().added == 1
    other.remember("Postgres is 15")
    assert other.sync().sent == 1
    assert ada.sync().added == 1


def test_a_remote_that_is_not_there_is_a_sentence(clone: Make, hub: Path) -> None:
    ada = clone("ada")
    ada.remember("Redis listens on 6380")
    hub.rename(hub.with_name("away.git"))
    with pytest.raises(Unavailable, match="no git repository"):
        ada.sync()
    hub.with_name("away.git").rename(hub)
    assert ada.sync().sent == 1, "nothing was lost"


def test_a_remote_that_forbids_the_ref_is_a_sentence(clone: Make, hub: Path) -> None:
    ada = clone("ada")
    ada.remember("Redis listens on 6380")
    hook = hub / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'no custom refs here' >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(Unavailable, match=r"does not accept refs .* \(pre-receive hook declined\)"):
        ada.sync()
    hook.unlink()
    git(hub, "config", "receive.hideRefs", "refs/gitmem")
    with pytest.raises(Unavailable, match="does not accept refs"):
        ada.sync()
    git(hub, "config", "--unset", "receive.hideRefs")
    assert ada.sync().sent == 1


def test_settings_and_hooks_of_the_repository_run_nothing(clone: Make, tmp_path: Path) -> None:
    ada = clone("ada")
    ada.remember("Redis listens on 6380")
    trap = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {trap}\nexit 1\n")
    program.chmod(0o755)
    keys = ("sshCommand", "askPass", "fsmonitor", "gitProxy", "alternateRefsCommand")
    for key in (
        *(f"core.{key}" for key in keys),
        *("remote.origin.uploadpack", "remote.origin.receivepack", "uploadpack.packObjectsHook"),
        *("credential.helper", "gpg.program"),
    ):
        ada.git("config", key, str(program))
    hooks = ada.place / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("pre-push", "reference-transaction", "post-merge"):
        (hooks / name).write_bytes(program.read_bytes())
        (hooks / name).chmod(0o755)
    assert ada.sync().sent == 1
    assert not trap.exists()
    ada.git("remote", "set-url", "origin", f"ext::{program}")
    with pytest.raises(Conflict):
        ada.sync()
    ada.sync("enable", yes=True)
    with pytest.raises(Unavailable):
        ada.sync()
    assert not trap.exists()


def test_a_push_that_meets_another_goes_on(clone: Make, hub: Path) -> None:
    """The remote's ref is ahead by what a copy of this store pushed: both are kept."""
    ada = clone("ada")
    ada.remember("Redis listens on 6380")
    ada.sync()
    first = git(hub, "rev-parse", f"{OWN}{ada.sync('status').device}")
    ada.remember("Postgres is 15")
    ada.sync()
    second = git(hub, "rev-parse", f"{OWN}{ada.sync('status').device}")
    assert git(hub, "merge-base", first, second) == first
    git(hub, "update-ref", f"{OWN}{ada.sync('status').device}", first)
    ada.remember("Kafka is 3")
    assert ada.sync().sent >= 1
    late = clone("late")
    assert late.sync().added == 3


def test_an_id_of_ones_own_taken_for_something_else_changes_nothing(clone: Make, hub: Path) -> None:
    ada, grace = clone("ada"), clone("grace")
    mine = ada.remember("Redis listens on 6380")
    other = ada.remember("Postgres is 15")
    ada.run("link", source=mine, target=other, relation="RELATED_TO")
    everywhere = grace.remember("Everywhere the same", layer="global")
    ada.sync(), grace.sync()
    (link,) = ada.run("show", id=mine).links
    app = ada.app()
    (link_id,) = app.store.column("SELECT id FROM links")
    app.close()
    false_link = {**BODY, "source": mine, "target": other, "relation": "SUPERSEDES"}
    plant(
        hub,
        whole(
            made(1, kind="link", id=mine, body=false_link),
            made(2, kind="link", id=link_id, body=false_link),
            made(3, kind="tombstone", id=link_id, body={}),
            made(4, id=everywhere, body={**BODY, "content": "Not yours"}),
        ),
    )
    ada.sync(), grace.sync()
    assert ada.run("show", id=mine).links == (link,)
    assert len(grace.run("show", id=mine).links) == 1
    assert "Not yours" not in grace.contents().values()
    ada.revise(mine, "Redis listens on 6381")
    ada.sync(), grace.sync()
    assert grace.contents()[mine] == "Redis listens on 6381"


def test_a_flood_of_versions_stays_behind_what_one_trusts(clone: Make, hub: Path) -> None:
    ada = clone("ada")
    mine = [ada.remember(f"Fact {number}") for number in range(30)]
    ada.sync()
    records = [
        made(number, id=id, body={**BODY, "content": f"Not {number}"})
        for number, id in enumerate(mine, 1)
    ]
    plant(hub, whole(*records))
    ada.sync()
    inbox = ada.run("inbox", limit=200)
    assert inbox.total >= 30
    assert all(item.confidence < 0.5 for item in inbox.items if item.kind == "version")
    assert all(ada.contents()[id].startswith("Fact") for id in mine)
