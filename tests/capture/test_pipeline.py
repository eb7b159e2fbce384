"""One sequence for everything that is said: what goes in, what comes out, and what stays out."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.app import App
from gitmem.capture import pipeline
from gitmem.capture.pipeline import BatchSharedContext, SaveMemoryRequest
from gitmem.errors import Conflict, InvalidInput, NotFound
from gitmem.memory.draft import MemoryDraft
from gitmem.model.frozen import replace
from gitmem.store.db import redaction_gate
from gitmem.store.memory import memories
from tests.support.secrets import SECRET
from tests.support.stores import make_app, make_repo

FACT = "The integration tests need a Redis on port 6380"
DECISION = MemoryDraft("One file, no server", title="Use SQLite", kind="decision", importance=0.8)


def test_one_memory_from_draft_to_row(app: App) -> None:
    saved = pipeline.save_memory(
        app, SaveMemoryRequest(MemoryDraft(f"{FACT}, password={SECRET}", tags=("infra",)))
    )
    assert (saved.action, saved.choice.layer, saved.superseded) == ("added", "project", "")
    assert saved.redacted
    stored = memories.get_memory(app.store, saved.id)
    assert stored is not None
    assert SECRET not in stored.content
    assert (stored.branch, stored.commit) == (app.git_head.branch, app.git_head.commit)


def test_all_of_it_is_redacted_before_the_store_is_locked(tmp_path: Path) -> None:
    """The rules take longer to load than the transaction takes, and others wait for it."""
    make_repo(tmp_path).branch(f"fix/{SECRET}")
    app = make_app(tmp_path)
    ready = pipeline.prepare_memory(
        app, SaveMemoryRequest(MemoryDraft(content="Redis is on 6380"))
    ).ready
    assert ready.memory.branch == "fix/[redacted:github-token]"
    assert redaction_gate.redact_memory(ready.memory) is ready.memory
    app.close()


def test_only_what_asks_for_it_is_compared_with_what_is_near(app: App) -> None:
    first = pipeline.save_memory(app, SaveMemoryRequest(MemoryDraft(FACT)))
    near = MemoryDraft("Integration tests need Redis on port 6380.")
    assert pipeline.save_memory(app, SaveMemoryRequest(near, duplicates="skip")).id == first.id
    beside = pipeline.save_memory(app, SaveMemoryRequest(near))
    assert (beside.action, beside.duplicate_of) == ("added", "")
    # Word for word it is always the same memory.
    assert pipeline.save_memory(app, SaveMemoryRequest(MemoryDraft(FACT))).id == first.id


def test_the_layer_and_the_bounds_that_were_asked_for(app: App) -> None:
    expected = SaveMemoryRequest(MemoryDraft(FACT), layer="working", valid_from=1, valid_until=2)
    saved = pipeline.save_memory(app, expected)
    stored = memories.get_memory(app.store, saved.id)
    assert stored is not None
    assert (stored.layer, stored.valid_from, stored.valid_until) == ("working", 1, 2)
    assert stored.expires_at is not None


def test_what_supersedes_is_new_however_alike_and_the_old_one_is_marked(app: App) -> None:
    old = pipeline.save_memory(app, SaveMemoryRequest(DECISION, layer="project"))
    newer = replace(DECISION, title="Use SQLite 3")
    saved = pipeline.save_memory(
        app, SaveMemoryRequest(newer, duplicates="skip", supersedes=old.id)
    )
    assert (saved.action, saved.superseded, saved.duplicate_of) == ("added", old.id, "")
    marked = memories.get_memory(app.store, old.id)
    assert marked is not None
    assert (marked.superseded_by, marked.state) == (saved.id, "superseded")


def test_what_says_the_same_as_what_it_supersedes_leaves_nothing_behind(app: App) -> None:
    old = pipeline.save_memory(app, SaveMemoryRequest(DECISION))
    before = memories.get_memory(app.store, old.id)
    with pytest.raises(Conflict, match="itself"):
        pipeline.save_memory(app, SaveMemoryRequest(replace(DECISION, weight=5), supersedes=old.id))
    assert memories.get_memory(app.store, old.id) == before


def test_many_in_one_transaction_share_their_provenance_but_not_their_ids(app: App) -> None:
    shared = BatchSharedContext({}, {})
    drafts = [MemoryDraft(f"Port {number} is taken") for number in range(3)]
    ready = [pipeline.prepare_memory(app, SaveMemoryRequest(draft), shared) for draft in drafts]
    with app.store.write():
        saved = [pipeline.store_prepared_memory(app, prepared) for prepared in ready]
    assert len({item.id for item in saved}) == 3
    assert list(shared.origins) == list(shared.hidden) == ["project"]
    assert sorted(memory.id for memory in memories.all_memories(app.store)) == sorted(
        item.id for item in saved
    )


@pytest.mark.parametrize(
    ("save_request", "error"),
    [
        (SaveMemoryRequest(MemoryDraft("")), InvalidInput),
        (SaveMemoryRequest(MemoryDraft(FACT, scope="branch")), InvalidInput),
        (SaveMemoryRequest(MemoryDraft(FACT), duplicates="drop"), InvalidInput),
        (SaveMemoryRequest(MemoryDraft(FACT), supersedes="01ZZZZZZ"), NotFound),
    ],
)
def test_what_cannot_be_kept_is_refused_before_anything_is_stored(
    app: App, save_request: SaveMemoryRequest, error: type[Exception]
) -> None:
    with pytest.raises(error):
        pipeline.save_memory(app, save_request)
    assert list(memories.all_memories(app.store)) == []
