"""Calls of names that a repository defines once, as JSON lines: ctags and a plain search.

``python -m tests.bench.graph.plain_oracle FOLDER ENDING [NAME...]``; needs Universal Ctags. For
languages whose compiler cannot be had: of a name of six letters and more that one method or
function alone has, each ``name(`` outside of comments and texts is a call of it. Calls of other
names are unknown. What is drawn from it has to be read: a library may have a member of that name;
such names are left out when they are given.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from tests.bench.graph.tree import tracked

_KINDS = ("method", "function", "property", "class", "struct", "interface", "record")
_PLAIN = re.compile(r'//.*|@?"(?:\\.|""|[^"\\])*"|\'(?:\\.|[^\'\\])\'')
_CALL = re.compile(r"(?<!new )(?<!\w)(\w+)\s*(?:<[\w\s,<>?\[\].]*>)?\(")


def main() -> None:
    root, ending = Path(sys.argv[1]).resolve(), sys.argv[2]
    paths = [path for path in tracked(root) if path.endswith(ending)]
    run = subprocess.run(
        ["ctags", "--output-format=json", "--fields=+nKS", "-f", "-", "-L", "-"],
        input="\n".join(paths),
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    tags = [json.loads(row) for row in run.stdout.splitlines()]
    places: dict[str, list[tuple[str, int, str]]] = defaultdict(list)
    for tag in tags:
        if tag.get("kind") in _KINDS:
            places[tag["name"]].append((tag["path"], tag["line"], tag["kind"]))
    once = {
        name: found[0]
        for name, found in places.items()
        if len(found) == 1
        and len(name) > 5
        and found[0][2] in ("method", "function")
        and name not in sys.argv[3:]
    }
    for path in paths:
        for number, text in enumerate((root / path).read_text("utf-8-sig").splitlines(), 1):
            for call in _CALL.finditer(_PLAIN.sub(" ", text)):
                name = call[1]
                if (path, number) in [found[:2] for found in places.get(name, ())]:
                    continue
                target = [[once[name][0], name]] if name in once else []
                row = {"path": path, "line": number, "name": name, "method": True}
                print(json.dumps({**row, "targets": target}))


if __name__ == "__main__":
    main()
