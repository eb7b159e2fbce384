"""Check that a wheel holds the program, whole, and nothing else: ``python .ci/wheel.py WHEEL``."""

from __future__ import annotations

import re
import subprocess  # noqa: TID251 - a check of the release, not part of the program
import sys
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).resolve().parents[1]
# Where files that lie outside the package stand in a wheel, as pyproject.toml says.
MOVED = {"hooks/git/": "gitmem/githooks/git/", "hooks/agents/": "gitmem/agents/wiring/data/"}
LARGEST = 26_000_000  # bytes; 11 and 12 MB of them are the embedding models


def main(wheel: Path) -> int:
    """Print what is wrong; 1 if anything is."""
    with ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    wanted = _wanted()
    wrong = [f"missing: {name}" for name in sorted(wanted - held)]
    wrong += [f"does not belong: {name}" for name in sorted(held - wanted)]
    if wheel.stat().st_size > LARGEST:
        wrong.append(f"too large: {wheel.stat().st_size} bytes")
    version = re.search(r'__version__ = "(.*)"', (ROOT / "gitmem/__init__.py").read_text())
    if not version or f"-{version[1]}-" not in wheel.name:
        wrong.append(f"not the version of the program: {wheel.name}")
    sys.stdout.write("".join(f"{line}\n" for line in wrong))
    return 1 if wrong else 0


def _wanted() -> set[str]:
    """The names in the wheel of every file that git tracks and users need."""
    done = subprocess.run(
        ["git", "ls-files", "-z", "gitmem", *MOVED],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    names = set()
    for name in filter(None, done.stdout.split("\0")):
        folder = next((one for one in MOVED if name.startswith(one)), "")
        names.add(MOVED[folder] + name.removeprefix(folder) if folder else name)
    return names


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1])))
