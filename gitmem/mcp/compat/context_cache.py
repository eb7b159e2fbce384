"""The three tools of Context Cache (CC-6, CC-11)."""

from __future__ import annotations

from gitmem.mcp.compat import sifts, to_theirs
from gitmem.mcp.compat.answer_shape import As, Each
from gitmem.mcp.compat.documented_call import CACHE, Call, To

CALLS: tuple[Call, ...] = (
    Call(
        CACHE,
        ("kb_search",),
        "search",
        {
            "query": To("string", "query", needed=True),
            "limit": To("integer", "limit", 10),
            "minScore": To(
                "number",
                sift=sifts.at_least("score"),
                why="Compared with the score of the answer, which is 0 to about 1; theirs is 0.01 "
                "to 0.05, and its default of 0.01 would leave nothing out.",
            ),
        },
        {
            "results": Each(
                "hits",
                {
                    "file_path": "path",
                    "chunk_index": As(to_theirs.line_before, "start_line"),
                    "content": "snippet",
                    "score": "score",
                },
            )
        },
        fixed={"sources": ("notes",)},
        page="hits",
        departs="chunk_index is the line that the chunk begins at, counted from 0: chunks follow "
        "headings here and have no number. content is the part of it that answers.",
    ),
)
_TALKS = "an index of conversations (CC-10 to CC-12)"
WAITING = {"conversations_search": _TALKS, "conversation_show": _TALKS}
