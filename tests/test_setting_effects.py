"""CF-58, CC-8: no setting is only read. Another value of each makes something else happen.

For every setting of the index, the watcher, the logs and the model, and for every setting that a
name of another system leads to: what is looked at, and a value, under each of its names, by which
that has to change.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from gitmem.app import App
from gitmem.capture import layer_choice, near_duplicates
from gitmem.embedding.fastembed import FastembedEmbedder
from gitmem.errors import Unavailable
from gitmem.indexing import text_vectors
from gitmem.maintenance import schedule
from gitmem.memory.draft import MemoryDraft
from gitmem.model.frozen import replace
from gitmem.setting_aliases import ALIASES
from gitmem.setting_table import BY_KEY
from gitmem.store.db import projects
from gitmem.store.memory import memories
from gitmem.store.memory.filters import MemoryFilter
from tests.embedding import tiny_model
from tests.support.apps import DAY, HOUR, Desk
from tests.support.repos import RepoBuilder
from tests.support.stores import open_store

ASKED_FOR = ("index.", "watch.", "log.", "embedding.")
# Settings of processes that go on for long have tests of their own.
ELSEWHERE = {
    "embedding.contextual": "../../indexing/test_contextual_vectors.py"
    "::test_the_switch_and_another_model_turn_it_off",
    "embedding.endpoint": "test_model_endpoint.py"
    "::test_all_texts_are_embedded_again_each_once_and_found_by_meaning",
    "embedding.timeout": "test_model_endpoint.py"
    "::test_without_the_server_words_serve_in_time_and_each_answer_says_so",
    "embedding.tuned": "test_model_tune.py"
    "::test_what_the_house_calls_things_is_learned_and_can_be_gone_back_from",
    "watch.enabled": "test_watch.py::test_where_watching_is_switched_off_it_says_so",
    "watch.debounce_ms": "test_watch.py::test_it_waits_as_long_as_requested",
}
# Names of other systems whose values mean something else: value, as it is said there.
TEXT = {
    "defaultTTL": "7200",
    "DISABLE_VEC": "true",
    "LOG_LEVEL": "DEBUG",
    "EMBED_EP": "CUDA",
    "memory.default_ttl": "172800",
    "search.keyword_weight": "0.1",
}
READERS = count()
FILES = {
    "src/a.py": "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(20)),
    "conf.ini": "".join(f"key{n} = {n}\n" for n in range(50)),
    "note.md": "# Note\n\n" + "".join(f"word{n} and so on.\n" for n in range(150)),
}


@pytest.fixture
def desk(repo: RepoBuilder, tmp_path: Path) -> Desk:
    """Indexed, with memories that are alike, and a second store and a model in folders beside."""
    made = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    repo.commit("Files", FILES)
    made.run("init", no_hooks=True)
    for number in range(4):
        made.run("remember", text=f"Redis is on port 638{number}, as {number} services ask for")
    del made.env["GITMEM_MODEL"]
    made.run("config", key="model", value="hashed")
    return made


def of_index(desk: Desk) -> object:
    """Every piece, and how many commits."""
    desk.run("index", full=True)
    database = open_store(str(desk.store))
    pieces = database.rows(
        "SELECT p.path, c.start_line, c.end_line FROM paths p JOIN chunks c ON c.blob = p.blob"
    )
    commits = database.value("SELECT count(*) FROM commits")
    database.close()
    return sorted(pieces), commits


def of_log(desk: Desk) -> object:
    """Whether a command leaves a line."""
    log = desk.home / "gitmem" / "commands.log"
    log.unlink(missing_ok=True)
    desk.run("status")
    return log.exists()


def of_search(desk: Desk, fusion: str = "score") -> object:
    """The scores of memories and files."""
    hits = desk.run("search", query="redis port", fusion=fusion, limit=10).hits
    return [(hit.kind, hit.score) for hit in hits]


def of_ranks(desk: Desk) -> object:
    """The scores where ranks are fused."""
    return of_search(desk, "rrf")


def of_recall(desk: Desk) -> object:
    """How many are answered where nobody says how many."""
    return len(desk.run("recall", query="redis port").memories)


def of_budget(desk: Desk) -> object:
    """What somebody is told who was never here."""
    return desk.run("orient", by=f"reader-{next(READERS)}").text


def of_working(desk: Desk) -> object:
    """How long a working memory lives."""
    id = desk.run("remember", text="For now", layer="working").id
    return desk.run("show", id=id).memory.ttl_seconds


def of_decay(desk: Desk) -> object:
    """What fades in half a year: how many, and the scores."""
    desk.clock.advance(180 * DAY)
    found = desk.run("decay", dry_run=True, explain=True)
    desk.clock.advance(-180 * DAY)
    return found


def of_backup(desk: Desk) -> object:
    """Whether a backup is due some hours after the last."""
    desk.run("backup")
    desk.clock.advance(30 * HOUR)
    found = _ask(desk, schedule.is_backup_due)
    desk.clock.advance(-30 * HOUR)
    return found


def of_model(desk: Desk) -> object:
    """The identity of the model's vectors."""
    return _ask(desk, text_vectors.configured_model_identity)


def of_store(desk: Desk) -> object:
    """Which file holds the memories."""
    return _ask(desk, lambda app: app.store_path)


def of_device(desk: Desk) -> object:
    """Whether the model is to compute with CUDA; most machines refuse that in a sentence."""
    pytest.importorskip("fastembed", reason="the optional package fastembed is not installed")
    folder = tiny_model.make(desk.home / "tiny")
    desk.run("config", key="model", value=f"fastembed:{folder}")
    try:
        opened = _ask(desk, text_vectors.configured_embedder)
        assert isinstance(opened, FastembedEmbedder)
        opened.load()
    except Unavailable as refused:
        assert "CUDA" in refused.message and "embedding.device cpu" in refused.hint
        return "cuda, which is not here"
    finally:
        desk.run("config", key="model", value="hashed")
    return opened.cuda


def _ask(desk: Desk, question: Callable[[App], object]) -> object:
    app = desk.app()
    try:
        assert app.layout  # with it the settings of the store are read
        return question(app)
    finally:
        app.close()


def of_captured(desk: Desk) -> object:
    """When a memory of middling importance ends that no person asked for."""

    def ends(app: App) -> object:
        (known, *_) = memories.select_memories(app.store, MemoryFilter(now=app.now), limit=1)
        message = MemoryDraft(known.content)
        found = replace(known, source="system_auto", importance=0.7, ttl_ms=None, expires_at=None)
        choice = layer_choice.choose_layer(app, message, "project", "")[1]
        return layer_choice.with_layer_and_expiry(app, found, message, choice).expires_at

    return _ask(desk, ends)


def of_expiry(desk: Desk) -> object:
    """What a use does to an end, as queries have it."""
    return _ask(desk, lambda app: app.store.row("SELECT promoted_at(), extended_by()"))


def of_duplicates(desk: Desk) -> object:
    """From which cosines two memories are merged, and suggested."""

    def bounds(app: App) -> object:
        found = near_duplicates.duplicate_thresholds(app)
        return found.merge, found.suggest

    return _ask(desk, bounds)


def of_steward(desk: Desk) -> object:
    """Whether duplicates are looked for, long after the last look."""

    def due(app: App) -> object:
        with app.store.write():
            projects.set_meta(app.store, projects.SCAN_ENDED_AT, "0")
            projects.set_meta(app.store, projects.SCANNED_COUNTER, "0")
        return schedule.is_duplicate_scan_due(app, app.store)

    return _ask(desk, due)


# Key -> another value, and what changes with it.
EFFECTS: dict[str, tuple[str, Callable[[Desk], object]]] = {
    "index.words": ("100", of_index),
    "index.overlap": ("200", of_index),
    "index.enabled": ("0", of_index),
    "index.max_file_bytes": ("1024", of_index),
    "index.max_files": ("2", of_index),
    "index.lines": ("7", of_index),
    "index.line_overlap": ("3", of_index),
    "index.exclude": ("*.ini", of_index),
    "index.commits": ("1", of_index),
    "log.level": ("info", of_log),
    "model": ("builtin", of_model),
    "search.meaning": ("0.9", of_search),
    "search.rrf_k": ("5", of_ranks),
    "recall.limit": ("2", of_recall),
    "orient.budget": ("200", of_budget),
    "working.ttl_minutes": ("120", of_working),
    "captured.ttl_minutes": ("2880", of_captured),
    "captured.keep_from": ("0.6", of_captured),
    "expiry.promote_after": ("3", of_expiry),
    "expiry.extend_by": ("0.25", of_expiry),
    "duplicates.merge_from": ("0.95", of_duplicates),
    "duplicates.suggest_from": ("0.8", of_duplicates),
    "duplicates.scan_hours": ("0", of_steward),
    "decay.days": ("1000", of_decay),
    "decay.archive_below": ("0.9", of_decay),
    "backup.interval_hours": ("200", of_backup),
    # The last: without the library the rest of the test is left out.
    "embedding.device": ("cuda", of_device),
}


def test_every_setting_that_is_asked_for_is_in_the_table() -> None:
    queries = {key for key in BY_KEY if key.startswith(ASKED_FOR)}
    queries |= {alias.key for alias in ALIASES if alias.key and alias.taken}
    # A store elsewhere is looked at by tests/operations/maintenance/test_config.py.
    assert {*EFFECTS, *ELSEWHERE} == queries - {"store.path"}
    folder = Path(__file__).parent / "operations" / "maintenance"
    for file, _, name in (place.partition("::") for place in ELSEWHERE.values()):
        assert f"def {name}(" in (folder / file).read_text("utf-8"), name


def test_another_value_of_a_setting_makes_something_else_happen(desk: Desk) -> None:
    """Under its own name and under each of the other systems; and without it all is as before."""
    usual: dict[Callable[[Desk], object], object] = {}
    for key, (value, observed) in EFFECTS.items():
        if observed not in usual:
            usual[observed] = observed(desk)
        for name in (
            key,
            *(aliase.name for aliase in ALIASES if aliase.key == key and aliase.taken),
        ):
            message = value if name == key else TEXT.get(name, value)
            desk.run("config", key=name, value=message)
            assert observed(desk) != usual[observed], f"{name} = {message} changes nothing"
            desk.run("config", key=key, unset=True)
            desk.run("config", key="model", value="hashed")
    for observed, before in usual.items():
        # Memories were kept meanwhile, of which an orientation tells.
        if observed not in (of_device, of_budget):
            assert observed(desk) == before, observed.__name__
