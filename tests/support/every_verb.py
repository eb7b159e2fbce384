"""Every verb of gitmem with arguments that mean something, for tests of what all of them do.

    for name, values in calls(ids):
        told = answer(desk, name, values)

``answer`` gives the code of the refusal, or nothing where it worked; whatever is no ``GitmemError``
comes out, as the traceback it would be.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gitmem import operations
from gitmem.errors import EXIT_STATUS, GitmemError
from gitmem.operations.registry import as_json_values
from tests.support.apps import Desk

# One runs until it is stopped; one downloads, which no test may.
NEVER = {"watch", "model pull"}
FILE = "src/b.py"


def calls(ids: Sequence[str], out: Path) -> list[tuple[str, dict[str, Any]]]:
    """All verbs with arguments, those that end or remove something last.

    ``ids`` are two memories that may be changed, then one that may be deleted; ``out`` is a folder
    for what is written.
    """
    item, two, lost = ids
    given: dict[str, dict[str, Any]] = {
        "remember": {"text": "The till rounds down", "path": (FILE,)},
        "decide": {"title": "Round prices down", "why": "The law", "path": (FILE,)},
        "revise": {"id": item, "text": "The till rounds up"},
        "link": {"source": item, "target": two},
        "event": {"type": "file_opened", "payload": f'{{"path": "{FILE}"}}'},
        "merge": {"target": item, "source": (two,)},
        "pin": {"id": (item,)},
        "unpin": {"id": (item,)},
        "feedback": {"id": (item,), "useful": True},
        "promote": {"id": (two,)},
        "trust": {"id": (item,)},
        "adr export": {"dry_run": True},
        "setup": {"dry_run": True},
        "deinit": {"dry_run": True},
        "init": {"no_hooks": True},
        "skill create": {"slug": "release", "instructions": "Push a tag"},
        "skill show": {"slug": "release"},
        "skill invoke": {"slug": "release"},
        "skill update": {"slug": "release", "title": "Release"},
        "skill remove": {"slug": "release"},
        "skill export": {"dry_run": True},
        "skill import": {"path": (".",)},
        "recall": {"query": "till"},
        "search": {"query": "add"},
        "ask": {"question": "how does the till round"},
        "context": {"query": "till", "file": FILE},
        "file": {"path": FILE},
        "predict": {"path": FILE},
        "show": {"id": item},
        "related": {"id": item},
        "timeline": {"target": FILE},
        "history": {"id": item},
        "why": {"target": FILE},
        "why-broke": {"text": f"KeyError in {FILE}:1"},
        "similar-bugs": {"text": "KeyError"},
        "diff": {"lines": 20},
        "graph": {"name": "add"},
        "deps": {"path": FILE},
        "impact": {"target": FILE},
        "check": {"plan": "Round prices", "file": (FILE,)},
        "affected": {"revisions": "HEAD~1"},
        "review": {"revisions": "HEAD~1"},
        "pr": {"revisions": "HEAD~1"},
        "pattern show": {"name": "no-eval"},
        "pattern learn": {"text": "Never call `eval()`."},
        "pattern validate": {"target": ("src",)},
        "verify-code": {"code": "import os\n"},
        "forget": {"id": (two,)},
        "restore": {"id": (two,)},
        "purge": {"id": (lost,)},
        "session note": {"text": "Halfway"},
        "session search": {"query": "till"},
        "feature set": {"name": "till"},
        "model use": {"name": "builtin"},
        "model rerank": {"name": "off"},
        "export": {"target": str(out / "memories.jsonl"), "force": True},
        "import": {"source": str(out / "memories.jsonl")},
        "backup": {"target": str(out / "copy.db")},
        "sync": {"action": "status"},
        "config": {"key": "recall.limit", "value": "7"},
        "projects remove": {"name": "."},
    }
    names = [name for name in operations.PLACES if name not in NEVER]
    last = ("skill remove", "projects remove", "deinit", "restore-backup", "recover")
    ordered = sorted(names, key=lambda name: last.index(name) if name in last else -1)
    return [(name, given.get(name, {})) for name in ordered]


def answer(desk: Desk, name: str, values: dict[str, Any]) -> str:
    """The code of the refusal, empty where it worked and could be shown in every form."""
    code, _ = _tried(desk, name, values)
    return code


def told(desk: Desk, name: str, values: dict[str, Any]) -> str:
    """All that a person and a program read: the text and the JSON, or the refusal and its hint."""
    _, text = _tried(desk, name, values)
    return text


def _tried(desk: Desk, name: str, values: dict[str, Any]) -> tuple[str, str]:
    operation = operations.load_operation(name)
    try:
        result = desk.run(name, **values)
    except GitmemError as error:
        assert error.code in EXIT_STATUS and error.code != "internal", error
        assert error.message.endswith((".", "?", "!")), error.message
        return error.code, f"{error.message}\n{error.hint}"
    text = operation.view(result)
    if operation.view_for_terminal:
        text += operation.view_for_terminal(result, 80)
    return "", f"{text}\n{json.dumps(as_json_values(result), ensure_ascii=False)}"
