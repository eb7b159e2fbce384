"""A repository whose every text is written by an attacker: memories, names, subjects, branches."""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.errors import GitmemError
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder

SCRIPT = '"><script>alert(1)</script><img src=x onerror=alert(2)>'
TEXTS = (
    SCRIPT,
    "</script><script>alert(3)</script><!--",
    "{{ 7*7 }} {% raw %} ${alert(4)} ' onmouseover='alert(5)",
    "\u202egpj.exe \u2066 hidden \u2069 \u200b",
    "javascript:alert(6) [x](javascript:alert(7)) <a href=//evil.example>x</a>",
    "שלום עולם مرحبا " * 12,
    "W" * 100_000,
)
BRANCH = "x<script>alert(8)</script>y"
PATHS = (
    "src/<img src=x onerror=alert(9)>.py",
    "src/'\"&amp;<b>.py",
    f"src/{'deep/' * 30}{'n' * 150}.py",
    "src/\u202egnp.py",
)


def fill(desk: Desk, repo: RepoBuilder, texts: Sequence[str] = TEXTS) -> list[str]:
    """Write all of them wherever gitmem takes a text; the ids of the memories."""
    repo.commit("Start", {"src/app.py": "x = 1\n", **dict.fromkeys(PATHS, "y = 1\n")})
    repo.git("checkout", "-q", "-b", BRANCH)
    desk.run("init", no_hooks=True)
    desk.run("session start", goal=texts[0], by="evil<b>agent")
    ids = []
    for number, text in enumerate(texts):
        repo.commit(
            text[:5000],
            {"src/app.py": f"x = {number}\n"},
            author=f'Ada &lt;b&gt; " onload=alert({number}) <a@b.c>',
        )
        for verb, values in (
            ("remember", {"text": text, "path": PATHS[number % len(PATHS)], "tag": text[:40]}),
            ("decide", {"title": text[:500], "why": text, "path": "src/app.py"}),
            ("session note", {"text": text[:5000]}),
        ):
            try:
                done = desk.run(verb, **values)
            except GitmemError:  # a field that refuses this text
                continue
            ids += [done.id] if hasattr(done, "id") else []
    assert len(ids) >= 2 * len(texts) - 1, "the word of 100 KB too, where memory.max_bytes allows"
    # What memories cite has changed since.
    repo.commit("Change", {"src/app.py": "z = 9\n", **dict.fromkeys(PATHS, "z = 2\n")})
    desk.run("index")
    desk.run("session end", summary=texts[1])
    return ids
