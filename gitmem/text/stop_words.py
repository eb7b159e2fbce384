"""Function words of English, grouped by their role in a sentence, and the stop words made of them.

All code that skips words uses these. Where two places skip different words, they name the groups,
so that each difference is intended.
"""

from __future__ import annotations


def parse_words(*lines: str) -> frozenset[str]:
    """Return the set of the words in some lines, which blanks separate."""
    return frozenset(" ".join(lines).split())


# Adding or removing these does not change a statement. "was" is not among them: it is not "is".
EMPTY = parse_words("a an the is are be am we i you our your this these that those there")
# These connect the parts of any sentence.
JOINING = parse_words(
    "and as at been being by can could did do does for from had has have he here if in into it its",
    "just my of on she should so some their then they to was were when while will with would",
)
# These ask, compare, give a reason or refer to somebody: a clause often begins with one.
ASKING = parse_words(
    "about because but doing having her hers him his how me or than them what where which who whom",
    "why",
)
# These say nothing about code, but may decide what a sentence means: denial, amount, order.
MEANT = parse_words(
    "above after again all any before below between both down during each few further more most no",
    "nor not now off once only other out over own same such through too under until up very",
)
# Without them BM25 gains five points of NDCG@10 on LoCoMo and two on changelog-to-commit search
# (retrieval notes, "memories, commits, conversations").
STOP_WORDS = EMPTY | JOINING | ASKING | MEANT
# For a query in words: these select nothing.
PASSED_OVER = STOP_WORDS - MEANT
# Words of questions about code, and of commit subjects, that do not say which code. Skipping them
# gains 0.003 on commit subjects, 0.001 on questions (docs/benchmarks.md).
OF_CODE = STOP_WORDS | parse_words(
    "add adding adds allow allows bug change changed changes chore feat fix fixed fixes fixing",
    "improve improves issue make makes refactor remove removed removes removing support update",
    "updated updates use used using work works",
)
# For a plan or a decision: these say nothing of what it proposes or rejects.
FILLER = (
    EMPTY
    | JOINING
    | parse_words(
        "all also any both directly done each every let may might must none now onto own per",
        "please really shall simply such us very via",
    )
)
