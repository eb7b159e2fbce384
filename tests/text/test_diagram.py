"""Mermaid and DOT, read by the programs that draw them: no name ends a text or means anything."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.text.diagram import Diagram, DiagramArrow, DiagramBox, as_dot, as_mermaid
from gitmem.text.fence import one_line

HOSTILE = (
    *('"]; click n0 call alert(1)', "<script>alert(1)</script>", "&lt;b&gt; &amp; #35; #quot;"),
    *("\\", 'a\\"b', "\\N\\G\\n", "end", "%%{init: {}}%%", "__init__ *x* `y`", "1. list"),
    *("fa:fa-car", "שלום \u202e gpj.exe", "日本 語", "x" * 5000, "", "a\nb\r\n\tc", "$$x^2$$"),
    *("//*", "{a|b}", "'; DROP TABLE", "\x1b[31mred", "\u200b", "-->", "|x|", "]] }} )) --> n0"),
)
SIGNS = st.sampled_from('"\\&<>#;|[]{}()-`%$\n ab_:')
TEXTS = st.text(SIGNS | st.characters(codec="utf-8"), max_size=60)


def ring(texts: tuple[str, ...]) -> Diagram:
    """A box for each text, and arrows around with the same texts."""
    keys = [str(number) for number in range(len(texts))]
    boxes = [DiagramBox(key, text) for key, text in zip(keys, texts, strict=True)]
    arrows = [
        DiagramArrow(key, keys[(n + 1) % len(keys)], text, faint=n % 2 == 1)
        for n, (key, text) in enumerate(zip(keys, texts, strict=True))
    ]
    return Diagram(tuple(boxes), tuple(arrows))


def shown(texts: tuple[str, ...]) -> list[str]:
    return [one_line(text, 120) for text in texts]


def test_both_are_as_they_read_in_their_manuals() -> None:
    made = Diagram(
        (DiagramBox("a", "src/app.py"),),
        (DiagramArrow("a", "b", "imports"), DiagramArrow("b", "a", "", True)),
    )
    assert as_mermaid(made) == (
        'flowchart LR\n  n0["src/app.py"]\n  n1["b"]\n  n0 -->|"imports"| n1\n  n1 -.-> n0'
    )
    assert as_dot(made) == (
        'digraph gitmem {\n  rankdir=LR\n  node [shape=box]\n  n0 [label="src/app.py"]\n'
        '  n1 [label="b"]\n  n0 -> n1 [label="imports"]\n  n1 -> n0 [label="" style=dashed]\n}'
    )


@given(st.lists(TEXTS, min_size=1, max_size=5))
def test_no_text_ends_early_in_either(texts: list[str]) -> None:
    made = ring(tuple(texts))
    for line in as_mermaid(made).split("\n")[1:]:
        assert re.fullmatch(r'  n\d+(?:\["[^"]+"\]| -\.?->(?:\|"[^"]+"\|)? n\d+)', line), line
    for line in as_dot(made).split("\n")[3:-1]:
        text = r'"(?:[^"\\]|\\["\\])*"'
        assert re.fullmatch(rf"  n\d+(?: -> n\d+)? \[label={text}(?: style=dashed)?\]", line), line


@pytest.mark.skipif(shutil.which("dot") is None, reason="graphviz is not installed")
def test_graphviz_reads_every_text_as_it_is() -> None:
    done = subprocess.run(
        ["dot", "-Tdot_json"],
        input=as_dot(ring(HOSTILE)).encode(),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    data = json.loads(done.stdout)
    plain = [_as_graphviz_draws(each["label"]) for each in data["objects"]]
    assert plain == shown(HOSTILE)
    assert [_as_graphviz_draws(each["label"]) for each in data["edges"]] == shown(HOSTILE)


def _as_graphviz_draws(label: str) -> str:
    """A label as it is drawn: what stands behind a backslash, and ``&`` for its entity."""
    return re.sub(r"\\(.)", r"\1", label).replace("&amp;", "&")


_READ = """
import { createRequire } from 'module';
import { pathToFileURL } from 'url';
const require = createRequire(process.argv[2] + '/');
const { JSDOM } = require('jsdom');
const { window } = new JSDOM('');
globalThis.window = window;
globalThis.document = window.document;
const { default: mermaid } = await import(
  pathToFileURL(process.argv[2] + '/mermaid/dist/mermaid.core.mjs').href);
let text = '';
for await (const part of process.stdin) text += part;
mermaid.initialize({ maxTextSize: 1e6 });
const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
const boxes = [...db.getVertices().values()].map((each) => each.text);
const arrows = db.getEdges().map((each) => each.text);
process.stdout.write(JSON.stringify([boxes, arrows]));
"""


def test_mermaid_reads_every_text_as_it_is(tmp_path: Path) -> None:
    """What it reads are placeholders of numbers, which it draws as characters."""
    modules = _node_modules()
    script = tmp_path / "read.mjs"
    script.write_text(_READ)
    done = subprocess.run(
        ["node", script, modules],
        input=as_mermaid(ring(HOSTILE)).encode(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    boxes, arrows = json.loads(done.stdout)
    assert [_as_mermaid_draws(text) for text in boxes] == shown(HOSTILE)
    assert [_as_mermaid_draws(text) for text in arrows] == shown(HOSTILE)


def _as_mermaid_draws(text: str) -> str:
    return re.sub("ﬂ°°(\\d+)¶ß", lambda match: chr(int(match[1])), text).strip()


def _node_modules() -> str:
    """Where `npm install -g` puts modules; skips the test if mermaid is not there."""
    node = shutil.which("node")
    place = Path(node or "").resolve().parents[1] / "lib/node_modules" if node else Path()
    if not node or not all((place / name).is_dir() for name in ("mermaid", "jsdom")):
        pytest.skip("mermaid is not installed: npm install -g mermaid jsdom")
    return str(place)
