"""A summary of a conversation made of its own sentences, without a model. Pure.

Of each exchange the request and the end of the answer are read: agents say there what they did.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gitmem.memory import extractive_summary
from gitmem.model.exchange import Exchange

MAX_TOKENS = 160
# Exchanges that are read, evenly spread over a longer conversation, and characters of each side.
_MOST, _READ = 60, 1_200
_CODE = re.compile(r"^[ \t]*(```|~~~).*?(^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)


def summarise_conversation(
    exchanges: Sequence[Exchange], max_summary_tokens: int = MAX_TOKENS
) -> str:
    """The sentences of a conversation that say most, as a text of about ``max_summary_tokens``.

    Each is followed by the number of its exchange (a prompt with its answer), such as ``[#3]``.
    """
    step = max(1, -(-len(exchanges) // _MOST))
    read = exchanges[::step]
    texts = [text for exchange in read for text in (exchange.user[:_READ], _end(exchange))]
    sentences = extractive_summary.most_informative_sentences(texts, max_summary_tokens)
    return " ".join(f"{best.text} [#{read[best.at[0] // 2].number}]" for best in sentences)


def _end(exchange: Exchange) -> str:
    """The last paragraph of an answer, without code."""
    prose = _CODE.sub("\n", exchange.assistant[-_READ:]).strip()
    return prose.rpartition("\n\n")[2]
