"""What stands in gitmem's place where a host runs: gitmem itself, which notes what hooks were told.

The program lies as ``bin/gitmem`` in the workplace, so `gitmem setup` run by it writes its path and
doctor knows it. Beside it each call of a hook leaves a file with what came in and what went out:
hosts hand on no environment that could say where.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OFF = "TAP_OFF"  # set where a call is none of the host's
_PROGRAM = """#!{python} -P
import json, os, subprocess, sys, time, uuid
sys.path.insert(0, {root!r})
if sys.argv[1:2] != ["hook"] or os.environ.get({off!r}):
    sys.argv[0] = {place!r}
    from gitmem.__main__ import main
    sys.exit(main())
began = time.time()
given = sys.stdin.buffer.read()
note = {{"at": began, "words": sys.argv[1:], "given": given.decode("utf-8", "replace")}}
path = os.path.join({calls!r}, "%.4f-%s.json" % (began, uuid.uuid4().hex[:6]))
def keep():
    with open(path, "w") as file:
        json.dump(note, file)
keep()
env = {{**os.environ, {off!r}: "1"}}
done = subprocess.run([{place!r}, *sys.argv[1:]], input=given, capture_output=True, env=env)
note["answer"] = done.stdout.decode("utf-8", "replace")
note["errors"] = done.stderr.decode("utf-8", "replace")
note |= {{"status": done.returncode, "seconds": time.time() - began}}
keep()
sys.stdout.buffer.write(done.stdout)
sys.stdout.flush()
sys.exit(done.returncode)
"""


@dataclass(frozen=True)
class HookCall:
    """One call of a hook by its host; without ``answer`` the host ended it before it answered."""

    agent: str
    event: str
    given: str
    answer: str | None
    errors: str
    status: int | None
    seconds: float

    @property
    def payload(self) -> dict[str, Any]:
        """What the host told, as the object that it is."""
        data = json.loads(self.given)
        assert isinstance(data, dict)
        return data


def install(folder: Path, root: Path) -> Path:
    """The program, written to ``folder/bin``; ``root`` is where gitmem is imported from."""
    place, calls = folder / "bin" / "gitmem", folder / "calls"
    place.parent.mkdir()
    calls.mkdir()
    names = {"python": sys.executable, "root": str(root), "place": str(place)}
    place.write_text(_PROGRAM.format(**names, calls=str(calls), off=OFF))
    os.chmod(place, 0o755)
    return place


def calls(folder: Path) -> list[HookCall]:
    """What hooks were told so far, in order."""
    found = []
    for path in sorted((folder / "calls").iterdir()):
        data = json.loads(path.read_text() or "{}")
        agent, event = (*data["words"][1:3], "", "")[:2]
        found.append(
            HookCall(
                agent=agent,
                event=event,
                given=data["given"],
                answer=data.get("answer"),
                errors=data.get("errors", ""),
                status=data.get("status"),
                seconds=data.get("seconds", 0.0),
            )
        )
    return found
