"""What real sessions propose, one line each, to be read by a person.

    python -m tests.bench.proposals --data EXCHANGES.jsonl [--kind fix]

Each line of the file is an exchange: ``conv`` (its conversation), ``number``, ``user``,
``assistant``, ``tools`` (``name``, ``paths``, ``outcome``) and perhaps ``parent`` (of a sub-agent's
session), in order. Printed are the number of exchanges, of proposals of each kind, and every
proposal with its conversation and exchange.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from itertools import groupby

from gitmem.memory import exchange_findings
from gitmem.model.exchange import Exchange, ToolCall
from tests.bench import stores


def main(words: list[str] | None = None) -> int:
    """Run it; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", required=True)
    parser.add_argument("--kind", default="")
    given = parser.parse_args(words)
    rows = stores.rows(given.data)
    counts: Counter[str] = Counter()
    lines: dict[str, str] = {}
    for conversation, some in groupby(rows, key=lambda row: row["conv"]):
        exchanges = [
            Exchange(
                conversation,
                number,
                row["user"],
                row["assistant"],
                tuple(
                    ToolCall(call["name"], tuple(call["paths"]), call["outcome"])
                    for call in row["tools"]
                ),
                parent=row.get("parent", ""),
            )
            for number, row in enumerate(some, 1)
        ]
        for lesson in exchange_findings.find_lessons(exchanges):
            if lesson.sentence not in lines and given.kind in ("", lesson.kind):
                counts[lesson.kind] += 1
                place = f"{conversation}#{lesson.number}"
                lines[lesson.sentence] = f"{place} {lesson.kind}: {lesson.sentence}"
    print(f"{len(rows):,} exchanges; {dict(counts)}")
    print("\n".join(lines.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
