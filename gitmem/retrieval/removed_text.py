"""A text that nothing holds any more: the commit that took it away, for who quotes it.

Only where no hit holds what is asked for: git reads the past of HEAD for it, some seconds at most.
"""

from __future__ import annotations

from gitmem.app import App
from gitmem.clock import iso
from gitmem.git import line_history, removed_lines
from gitmem.retrieval.hit_view import HitItem, masked, readable_path
from gitmem.text.fence import one_line
from gitmem.text.redact import redact

# Characters of the text that are told again.
_WIDTH = 80


def find(app: App, text: str) -> tuple[HitItem | None, tuple[str, ...]]:
    """The commit that took away the last line with a text, and what to say where git was late.

    It is no hit of the code: its snippet is the line as it was.
    """
    quoted = one_line(f'"{text}"', _WIDTH)
    gone, complete = removed_lines.text(app.layout.cwd, text)
    commit = line_history.described(app.layout.cwd, [gone.sha]).get(gone.sha) if gone else None
    if not complete:
        return None, (
            f"Nothing here holds {quoted}; removed lines were not searched to the end: git was "
            f"stopped after {removed_lines.SECONDS:g} s, or lacks a part of the history.",
        )
    if gone is None or commit is None:
        return None, ()
    item = HitItem(
        kind="commit",
        commit=commit.sha,
        title=redact(commit.subject).text,
        author=commit.author,
        at=iso(commit.committed_time * 1000),
        snippet=f"- {gone.line}  ({readable_path(gone.path)})".replace("  ()", ""),
        why=(f"removed {quoted}: not in the code any more",),
    )
    return masked(item), ()
