"""Imports go down only, and heavy libraries stay where they belong: import-linter's contracts."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_no_import_goes_up_and_no_library_leaves_its_layer() -> None:
    tool = Path(sys.executable).with_name("lint-imports")
    found = str(tool) if tool.exists() else shutil.which("lint-imports")
    assert found, "import-linter is a development dependency"
    done = subprocess.run(
        [found, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_hot_commands_start_without_heavy_modules() -> None:
    """Start-up is a feature: none of these is loaded before it is needed."""
    heavy = (
        "click",
        "pydantic",
        "mcp",
        "dulwich",
        "zoneinfo",
        "asyncio",
        "logging",
        "typing_extensions",
    )
    code = (
        "import sys\n"
        "from gitmem.cli import main, quick, execute\n"
        "for words in (['orient'], ['recall', 'x'], ['status'], ['remember', 'x']):\n"
        "    assert quick.parse_command(words) is not None\n"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_no_verb_imports_another_verb() -> None:
    """The contract knows the folders of verbs only; what two verbs share is a service below."""
    verbs = (ROOT / "gitmem" / "operations").glob("*/*.py")
    found = [
        f"{path.stem}: {line}"
        for path in verbs
        for line in re.findall(
            r"^ *(?:from|import) gitmem\.operations\.[^.\s]+[. ].*", path.read_text(), re.MULTILINE
        )
        if not re.search(rf"operations\.(registry|outcomes|\w+\.{path.stem}_view) ", line)
    ]
    assert found == []
