"""The reference pages say what the program says, all of it, on every machine."""

from __future__ import annotations

import os
import runpy
import shutil
import sys
import traceback
from pathlib import Path

import pytest

from docs import generate
from docs.pages import schema
from gitmem import errors, operations
from gitmem.git import runner
from gitmem.mcp import handlers
from gitmem.mcp.tools import prompts, resources
from gitmem.model import kinds
from gitmem.operations.registry import request_fields
from gitmem.setting_table import SETTINGS
from gitmem.settings import AGENT_MARKS
from gitmem.store.db.schema import DERIVED_TABLES
from tests.support.tables import table

ROOT = Path(__file__).parents[2]


def reference(name: str) -> str:
    return (generate.FOLDER / name).read_text(encoding="utf-8")


def test_a_page_among_pages_written_by_hand_is_checked_and_they_are_let_be() -> None:
    assert {path.name for path in generate.DOCS.glob("*.md")} > {"architecture.md", "guide.md"}
    assert generate.DOCS in generate.SHARED
    assert "architecture.md" in generate.FOLDERS[generate.DOCS]
    assert generate.stale(generate.DOCS, {"absent.md": str}) == ["absent.md"]


def test_the_check_names_a_stale_a_missing_and_a_foreign_page(tmp_path: Path) -> None:
    generate.write(tmp_path)
    (tmp_path / "cli.md").write_text("old", encoding="utf-8")
    (tmp_path / "kinds.md").unlink()
    (tmp_path / "stray.md").write_text("", encoding="utf-8")
    assert sorted(generate.stale(tmp_path)) == ["cli.md", "kinds.md", "stray.md"]


def test_writing_repairs_what_is_stale_and_nothing_else(tmp_path: Path) -> None:
    assert generate.write(tmp_path) == list(generate.PAGES)
    (tmp_path / "cli.md").write_text("old", encoding="utf-8")
    assert generate.write(tmp_path) == ["cli.md"]
    assert generate.stale(tmp_path) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_the_command_names_only_the_page_that_is_stale_whatever_the_terminal_language_or_home(
    tmp_path: Path,
) -> None:
    shutil.copytree(ROOT / "docs", tmp_path / "docs", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("gitmem", "pyproject.toml"):
        (tmp_path / name).symlink_to(ROOT / name)
    page = tmp_path / "docs" / "reference" / "kinds.md"
    page.write_text(page.read_text(encoding="utf-8") + "more\n", encoding="utf-8")
    odd = {"COLUMNS": "40", "LINES": "10", "LC_ALL": "C", "GITMEM_AGENT": "x"}
    status, output = check(tmp_path, **odd, HOME=str(tmp_path))
    assert output == "stale: docs/reference/kinds.md\nrun: python -m docs.generate\n"
    assert status == 1


def test_generated_pages_are_fresh_and_then_the_command_says_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert generate.DOCS / "agents" in generate.FOLDERS and generate.FROZEN in generate.FOLDERS
    assert generate.main(["--check"]) == 0
    assert capsys.readouterr() == ("", "")


def check(place: Path, **more: str) -> tuple[int, str]:
    """What the command of the pages copied to ``place`` ends with, and says on both streams.

    A fork of this process imports the pages anew; the program and the SDK, of which they tell, are
    loaded already, which is most of what an ordinary start costs.
    """
    result = place / "said"
    pid = os.fork()
    if not pid:
        status = 70
        try:
            with open(result, "wb", buffering=0) as file:
                os.dup2(file.fileno(), 1)
                os.dup2(file.fileno(), 2)
            sys.stdout, sys.stderr = (os.fdopen(number, "w", closefd=False) for number in (1, 2))
            os.environ.update(more)
            runner.configure_git_environment(dict(os.environ))
            for name in [module for module in sys.modules if module.partition(".")[0] == "docs"]:
                del sys.modules[name]
            os.chdir(place)
            sys.path.insert(0, str(place))
            sys.argv[1:] = ["--check"]
            runpy.run_module("docs.generate", run_name="__main__")
        except SystemExit as end:
            status = int(str(end.code))
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), result.read_text(encoding="utf-8")


def test_pages_name_no_place_of_this_machine() -> None:
    for name in generate.PAGES:
        assert str(ROOT) not in reference(name)
        assert os.path.expanduser("~") + os.sep not in reference(name)


@table("name", operations.PLACES)
def test_every_operation_is_on_the_command_and_json_pages(name: str) -> None:
    assert f"\n### gitmem {name}\n" in reference("cli.md")
    assert f"\n### {name}\n" in reference("json.md")


@table("name", operations.PLACES)
def test_every_option_has_its_words_of_help_on_the_command_page(name: str) -> None:
    after = reference("cli.md").partition(f"\n### gitmem {name}\n")[2]
    section = after.partition("\n### ")[0]
    for field in request_fields(operations.load_operation(name).request_class):
        if field.arg.cli and not field.arg.positional:
            assert f"{field.option_name} " in section or f"{field.option_name}`" in section
            assert field.arg.help.split()[0] in section


@table("name", [n for n in operations.PLACES if operations.load_operation(n).tool])
def test_every_tool_is_on_the_mcp_page(name: str) -> None:
    tool = operations.load_operation(name).tool
    assert f"\n| `{tool}` | " in reference("mcp.md")
    section = reference("json.md").partition(f"\n### {name}\n")[2].partition("\n### ")[0]
    assert f"\n{tool}(" in section or f"\n`{tool}(" in section


def test_every_resource_and_prompt_is_on_the_mcp_page() -> None:
    page = reference("mcp.md")
    uris = [str(resource.uri) for resource in resources.RESOURCES]
    uris += [template.uri_template for template in resources.TEMPLATES]
    names = [*uris, *(prompt.name for prompt in prompts.PROMPTS)]
    assert names
    assert [name for name in names if f"\n| `{name}` |" not in page] == []
    assert handlers.INSTRUCTIONS in page


def test_every_error_code_has_its_status_on_the_command_page() -> None:
    for error, status in errors.EXIT_STATUS.items():
        assert f"\n| {status} | `{error}` | " in reference("cli.md")


def test_every_setting_and_its_variable_is_on_the_settings_page() -> None:
    page = reference("settings.md")
    for setting in SETTINGS:
        assert f"\n| `{setting.key}` |" in page
        assert f"`{setting.environment_variable}`" in page or setting.personal
    assert all(f"\n| `{mark}` | `{agent}` |" in page for mark, agent in AGENT_MARKS.items())


def test_every_kind_alias_status_relation_and_source_is_on_the_kinds_page() -> None:
    page = reference("kinds.md")
    names = (*kinds.KINDS, *kinds.STATUSES, *kinds.RELATIONS, *kinds.SOURCES, *kinds.ALIASES)
    assert [name for name in names if f"`{name}`" not in page] == []


def test_every_table_of_a_new_store_is_reported_on_the_schema_page() -> None:
    live = schema.live()
    assert set(schema.PURPOSE) == set(live)
    assert set(DERIVED_TABLES) <= set(live)
    page = reference("schema.md")
    assert [name for name in live if f"\n-- {name}: " not in page] == []
