"""CF-58, CC-8, CT-29: settings of five other systems are understood by their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem import setting_aliases
from gitmem.errors import InvalidInput, Unavailable
from gitmem.setting_aliases import ALIASES
from gitmem.setting_table import BY_KEY, FOREIGN_VARIABLES, parse_setting_value
from gitmem.settings import Settings
from tests.mcp.peers import connected
from tests.support.apps import Desk
from tests.support.cli import Program

# Name, value as it is said there, our key, our value.
TEXT = (
    ("codeIndex.enabled", "false", "index.enabled", 0),
    ("codeIndex.maxFileSizeBytes", "2097152", "index.max_file_bytes", 2_097_152),
    ("codeIndex.maxFiles", "5000", "index.max_files", 5000),
    ("codeIndex.chunkLines", "150", "index.lines", 150),
    ("codeIndex.chunkOverlap", "10", "index.line_overlap", 10),
    ("codeIndex.debounceMs", "900", "watch.debounce_ms", 900),
    ("codeIndex.watchEnabled", "false", "watch.enabled", 0),
    ("codeindex.excludepatterns", "**/dist/**", "index.exclude", "**/dist/**"),
    ("defaultTTL", "3661", "working.ttl_minutes", 62),
    ("LOG_LEVEL", "WARN", "log.level", "error"),
    ("DISABLE_VEC", "true", "search.meaning", 0.0),
    ("CONTEXT_CACHE_CHUNK_SIZE", "1000", "index.words", 1000),
    ("memory.default_ttl", "172800", "captured.ttl_minutes", 2880),
    ("memory.default_ttl", "24h", "captured.ttl_minutes", 1440),
    ("memory.similarity_threshold", "0.8", "duplicates.suggest_from", 0.8),
    ("memory.auto_merge_threshold", "0.95", "duplicates.merge_from", 0.95),
    ("memory.dedup_scan_interval", "5400", "duplicates.scan_hours", 2),
    ("memory.dedup_scan_interval", "1h", "duplicates.scan_hours", 1),
    ("search.keyword_weight", "0.3", "search.meaning", 0.7),
    ("search.vector_weight", "0.7", "search.meaning", 0.7),
    ("search.default_limit", "20", "recall.limit", 20),
)


def test_every_name_leads_to_a_key_that_there_is_or_says_why_to_none() -> None:
    assert len({alias.name.lower() for alias in ALIASES}) == len(ALIASES)
    for alias in ALIASES:
        assert alias.name not in BY_KEY
        assert alias.key in BY_KEY or (not alias.key and alias.about), alias
        assert not alias.about.endswith("."), alias
    for name, key in FOREIGN_VARIABLES.items():
        alias = setting_aliases.find_setting_alias(name)
        assert alias is not None and alias.key == key


def test_the_defaults_of_the_code_index_would_all_be_taken() -> None:
    """CF-32: what its users have in their files is within our bounds."""
    for alias in ALIASES:
        if alias.name.startswith("codeIndex.") and alias.default != "none":
            value = setting_aliases.convert_alias_value(alias, alias.default)
            assert value is not None
            parse_setting_value(BY_KEY[alias.key], value, "there")


def test_a_model_is_understood_by_the_short_name_it_has_there(desk: Desk) -> None:
    """CF-57, CF-58: the documented defaults, and what is no name of a hub stays as it is."""
    bge = "fastembed:BAAI/bge-small-en-v1.5"
    for name, ours in (
        ("bge-small-en-v1.5", bge),
        ("fast-bge-small-en-v1.5", bge),
        ("BAAI/bge-small-en-v1.5", bge),
        ("Xenova/all-MiniLM-L6-v2", "fastembed:sentence-transformers/all-MiniLM-L6-v2"),
        ("nomic-embed-text", "fastembed:nomic-ai/nomic-embed-text-v1.5"),
        ("contextual", "contextual"),
        ("ollama:nomic-embed-text", "ollama:nomic-embed-text"),
        ("/models/bge-small-en-v1.5", "/models/bge-small-en-v1.5"),
        ("bge-small-en-v1.5/mine", "bge-small-en-v1.5/mine"),
    ):
        assert setting_aliases.translate_model_name(name) == ours, name
    (row,) = desk.run("config", key="EMBED_MODEL", value="bge-small-en-v1.5").settings
    assert (row.key, row.value) == ("model", bge)
    assert desk.run("config", key="EMBED_MODEL", value="contextual").settings[0].value == (
        "contextual"
    )
    desk.run("config", key="model", unset=True)
    with pytest.raises(Unavailable, match=r"BAAI/bge-small-en-v1\.5 is not on this machine"):
        desk.run("model use", name="bge-small-en-v1.5")


def test_a_value_stated_by_their_name_is_set_under_ours_and_that_is_reported(desk: Desk) -> None:
    """CF-58, CC-8, CT-29."""
    for name, raw, key, value in TEXT:
        done = desk.run("config", key=name, value=raw)
        (row,) = done.settings
        assert (row.key, row.value) == (key, value), name
        assert any(key in note for note in done.notes), name
        assert name.lower() not in Path(done.changed).read_text().lower(), name
    assert "note: codeIndex.maxFiles is the name in Context Fabric" in desk.text(
        "config", key="codeIndex.maxFiles"
    )
    assert desk.run("config", key="codeIndex.maxFiles", unset=True).settings[0].source == "default"


def test_what_has_no_counterpart_says_why_and_changes_nothing(desk: Desk) -> None:
    for name, raw, word in (
        ("server.port", "8420", "`gitmem serve --port`"),
        ("RERANK_LEARNING", "1", "no learned ranking"),
        ("dataDir", "/tmp", "A file and not a folder"),
        ("DISABLE_VEC", "banana", "cannot be"),
        ("memory.default_ttl", "a day", "cannot be"),
        ("memory.dedup_scan_interval", "now and then", "cannot be"),
        ("codeIndex.maxFiles", "0", "cannot be"),
        ("codeIndex.maxFile", "5", "no setting"),
    ):
        with pytest.raises(InvalidInput) as refused:
            desk.run("config", key=name, value=raw)
        assert word in f"{refused.value.message} {refused.value.hint}", name
    assert not desk.settings_file.exists()


FILE = """\
[codeIndex]
maxFiles = 5000
enabled = true
excludePatterns = ["*.sql"]
[server]
port = 8420
[memory]
default_ttl = "a day"
[index]
exclude = "gen/"
"""


def test_their_names_are_taken_in_files_and_doctor_names_ours(desk: Desk) -> None:
    user = desk.home / "gitmem" / "config.toml"
    user.parent.mkdir(exist_ok=True)
    user.write_text(FILE)
    shown = desk.run("config")
    rows = {row.key: row.value for row in shown.settings}
    assert (rows["index.max_files"], rows["index.exclude"]) == (5000, "gen/")
    assert rows["captured.ttl_minutes"] == 1440
    warned = " ".join(shown.warnings)
    assert "server.port" in warned and "default_ttl" in warned
    messages = [
        finding.message for finding in desk.run("doctor").findings if finding.check == "settings"
    ]
    assert any("codeIndex.maxFiles" in item and "index.max_files" in item for item in messages)
    assert any("server.port" in item and "gitmem serve" in item for item in messages)


def test_a_repository_says_no_more_by_another_name(tmp_path: Path) -> None:
    shipped = tmp_path / ".gitmem.toml"
    shipped.write_text("[codeIndex]\nmaxFiles = 900000\nwatchEnabled = false\n")
    settings = Settings({"GITMEM_HOME": str(tmp_path)})
    settings.add_file(str(shipped), "repository")
    assert settings.number("index.max_files") == 50_000
    assert settings.number("watch.enabled") == 1
    assert "watch.enabled is ignored" in settings.warnings[0]


def test_a_variable_of_theirs_wins_over_files_and_ours_over_it(tmp_path: Path) -> None:
    """CC-8: the environment comes before files, wherever these lie."""
    given = {"GITMEM_HOME": str(tmp_path), "CONTEXT_CACHE_CHUNK_SIZE": "800"}
    assert Settings(given).number("index.words") == 800
    assert Settings(given | {"GITMEM_INDEX_WORDS": "300"}).number("index.words") == 300
    wrong = Settings(given | {"CONTEXT_CACHE_CHUNK_SIZE": "many"})
    assert wrong.number("index.words") == 500
    assert "CONTEXT_CACHE_CHUNK_SIZE: index.words cannot be" in wrong.warnings[0]
    assert not wrong.mistakes
    (tmp_path / "config.toml").write_text("[index]\nwords = 400\n")
    (tmp_path / "own.toml").write_text("[index]\nwords = 450\n")
    for level in ("user", "repository", "store"):
        found = Settings(given)
        found.add_file(str(tmp_path / "own.toml"), level)
        assert found.number("index.words") == 800, level
        assert found.source("index.words") == "CONTEXT_CACHE_CHUNK_SIZE"
    found = Settings(given | {"GITMEM_INDEX_WORDS": "300"})
    found.add_file(str(tmp_path / "own.toml"), "store")
    assert found.number("index.words") == 300
    del given["CONTEXT_CACHE_CHUNK_SIZE"]
    assert Settings(given).number("index.words") == 400
    wrong.add_file(str(tmp_path / "own.toml"), "store")
    assert len(wrong.warnings) == 1


def test_their_folder_of_notes_is_meant_where_a_start_is_in_no_repository(
    program: Program, tmp_path: Path
) -> None:
    """CC-8: by commands and by a server, and by nothing that names a folder itself."""
    notes, nowhere = tmp_path / "notes", tmp_path / "nowhere"
    for folder in (notes, nowhere):
        folder.mkdir()
    (notes / "bees.md").write_text("# Bees\n\nBees dance in the hive.\n")
    program.env["CONTEXT_CACHE_KB_PATH"] = str(notes)
    program("init", "--folder", "--no-hooks", cwd=nowhere)
    assert not list(nowhere.iterdir()) and (notes / ".gitmem").exists()
    assert "bees.md" in program("search", "bees dance", cwd=nowhere).out
    with connected(nowhere, program.env, here=True, options=("--profile", "compat")) as server:
        (result,) = server("kb_search", query="bees dance").structured_content["results"]
    assert (result["file_path"], result["chunk_index"]) == ("bees.md", 0)
    assert "bees.md" not in program("search", "bees dance").out
    error = program.refused(
        6, "not_a_repository", "search", "bees", "-C", str(nowhere), cwd=nowhere
    )
    assert str(nowhere) in error.error["message"]
    program.env["CONTEXT_CACHE_KB_PATH"] = str(tmp_path / "gone")
    program("search", "bees", cwd=nowhere, status=None)
    assert not list(nowhere.iterdir())


def test_a_setting_that_went_is_answered_with_what_took_its_place(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('[cache]\npolicy = "lfu"\nresults = 7\n')
    found = Settings({"GITMEM_HOME": str(tmp_path), "GITMEM_CACHE_TTL_SECONDS": "9"})
    (variable, unset), (file, delete) = found.gone
    assert "cache.policy of an earlier gitmem has no counterpart. What was not asked" in file
    assert delete == "To delete it: gitmem config cache.policy --unset --user"
    assert variable.startswith("GITMEM_CACHE_TTL_SECONDS: cache.ttl_seconds of an earlier gitmem")
    assert unset == "Take it out: nothing reads it."
    assert found.number("cache.results") == 7
    assert not found.warnings  # nothing has to be done, and no command says so each time


def test_settings_that_went_are_deleted_like_others(desk: Desk) -> None:
    everywhere = Path(desk.run("config", key="recall.limit", value="7", user=True).changed)
    here = Path(desk.run("config", key="recall.limit", value="8").changed)
    for file in (everywhere, here):
        file.write_text(file.read_text() + '[cache]\npolicy = "lfu"\nttl_seconds = 9\n')
    assert "cache.policy" in desk.text("config") and "cache.policy" in desk.text("doctor")
    assert "cache.policy" not in desk.text("status")
    for key in ("cache.policy", "cache.ttl_seconds"):
        assert desk.run("config", key=key, unset=True, user=True).changed == str(everywhere)
        assert desk.run("config", key=key, unset=True).changed == str(here)
    assert not desk.run("config").notes
    assert desk.run("config", key="recall.limit").settings[0].value == 8
    with pytest.raises(InvalidInput, match="no counterpart"):
        desk.run("config", key="cache.policy", value="lru")
