"""Words of a question that select nothing: function words of English."""

from __future__ import annotations

# Without them BM25 gains five points of NDCG@10 on LoCoMo and two on changelog-to-commit search
# (retrieval notes, "memories, commits, conversations").
_FUNCTION_WORDS = (
    "a about above after again all am an and any are as at be because been before being below "
    "between both but by can could did do does doing down during each few for from further "
    "had has have having he her here hers him his how i if in into is it its just me more "
    "most my no nor not now of off on once only or other our out over own same she should so "
    "some such than that the their them then there these they this those through to too under "
    "until up very was we were what when where which while who whom why will with would you "
    "your"
)
STOP_WORDS = frozenset(_FUNCTION_WORDS.split())
# Words of questions about code, and of commit subjects, that say nothing about which code: worth
# 0.003 on commit subjects, 0.001 on questions (docs/benchmarks.md).
_OF_WORK = (
    "add adding adds allow allows bug change changed changes chore feat fix fixed fixes fixing "
    "improve improves issue make makes refactor remove removed removes removing support update "
    "updated updates use used using work works"
)
OF_CODE = STOP_WORDS | frozenset(_OF_WORK.split())
