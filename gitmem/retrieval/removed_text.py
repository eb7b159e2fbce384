"""Finding the commit that removed a text, in the history of HEAD, within a few seconds."""

from __future__ import annotations

from gitmem.app import App
from gitmem.clock import format_iso
from gitmem.git.lines import line_history, removed_lines
from gitmem.retrieval.hit_view import HitItem, escape_path, mask_secrets_in_hit
from gitmem.text.fence import one_line
from gitmem.text.redact import redact

# The most characters of the text in messages.
_WIDTH = 80


def find_removing_commit(app: App, text: str) -> tuple[HitItem | None, tuple[str, ...]]:
    """(the commit that removed the last line with a text, notes on what could not be searched).

    The commit is a hit whose snippet is the removed line; None if there is none, or git was too
    slow.
    """
    quoted = one_line(f'"{text}"', _WIDTH)
    gone, complete = removed_lines.find_last_removed_line(app.layout.cwd, text)
    commit = line_history.read_commits(app.layout.cwd, [gone.sha]).get(gone.sha) if gone else None
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
        at=format_iso(commit.committed_time * 1000),
        snippet=f"- {gone.line}  ({escape_path(gone.path)})".replace("  ()", ""),
        why=(f"removed {quoted}: not in the code any more",),
    )
    return mask_secrets_in_hit(item), ()
