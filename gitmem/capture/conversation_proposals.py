"""Proposing what is worth keeping in imported sessions; a person sees it only in the inbox.

Conventions, decisions and fixes (``memory.exchange_findings``), each with its exchange as source.
What a memory, a note of the repository or a commit says already is not proposed, nor what an agent
said of gitmem's own output.
"""

import re
from collections.abc import Sequence

from gitmem.app import App
from gitmem.capture.proposals import ProposedMemory, propose_memory
from gitmem.clock import DAY, format_iso
from gitmem.memory import exchange_findings
from gitmem.memory.draft import MemoryDraft
from gitmem.memory.exchange_findings import ConversationLesson
from gitmem.model.exchange import TRANSCRIPT, Conversation
from gitmem.search import matched_words, query
from gitmem.search.question import parse_question
from gitmem.store.code import chunks, code_search, commits
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, memory_search
from gitmem.store.memory.filters import MemoryFilter
from gitmem.store.session import exchanges

# Older sessions are not searched for proposals, and of an import only so many are, the newest.
MAX_AGE_MS, MAX_CONVERSATIONS = 90 * DAY, 200
# The share of a statement's words in one place from which that place says it already. So few words
# stand in many places by chance: then one sentence has to hold them, the commonest too.
_SAME, _FEW = 0.8, 6
_PLACES = 5
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n\s*\n|\n(?=\s*[-*#\d])")
TAG = TRANSCRIPT


def propose_from_conversations(
    app: App, database: Database, conversation_ids: Sequence[str]
) -> int:
    """Propose memories from what was said in imported conversations; returns how many.

    They wait in the inbox for a person. Conversations older than 90 days are passed over.
    """
    if not app.settings.number("capture.every"):
        return 0
    conversations = exchanges.read_conversations(database, conversation_ids)
    recent = [
        conversation
        for conversation in conversations
        if conversation.started_at >= app.now - MAX_AGE_MS
    ][-MAX_CONVERSATIONS:]
    count = 0
    for conversation in recent:
        for lesson in exchange_findings.find_lessons(
            exchanges.read_exchanges(database, conversation.id)
        ):
            if not is_statement_known(database, lesson.sentence):
                count += bool(propose_memory(app, database, _finding(conversation, lesson)))
    return count


def is_statement_known(database: Database, statement: str) -> bool:
    """Whether a memory, a file or a commit message has nearly all words of a statement."""
    words = list(parse_question(statement).words)
    if not words:
        return True
    places = _places(database, " OR ".join(query.quote_fts_term(word) for word in words))
    if len(words) < _FEW:
        words = list(dict.fromkeys(re.findall(r"\w+", statement.lower())))
        places = [sentence for place in places for sentence in _SENTENCE.split(place)]
    least = _SAME * len(words)
    return any(len(matched_words.words_in_text(words, text)) >= least for text in places)


def _places(database: Database, expression: str) -> list[str]:
    matches = memory_search.best_matching_memories(
        database, expression, MemoryFilter(states=()), _PLACES
    )
    similar = memories.memories_by_row_number(
        database, [row for row, _ in matches], MemoryFilter(states=())
    )
    texts = [f"{memory.title}\n\n{memory.content}" for memory in similar]
    rows = [
        row for row, _ in code_search.best_matching_rows(database, "chunk", expression, _PLACES)
    ]
    texts += chunks.chunk_texts(database, rows).values()
    rows = [
        row for row, _ in code_search.best_matching_rows(database, "message", expression, _PLACES)
    ]
    messages = commits.commits_by_row_number(database, rows)
    return [*texts, *(f"{commit.subject}\n\n{commit.body}" for commit in messages.values())]


def _finding(conversation: Conversation, lesson: ConversationLesson) -> ProposedMemory:
    day = format_iso(conversation.started_at)[:10]
    source = f"{conversation.id}#{lesson.number}"
    return ProposedMemory(
        draft=MemoryDraft(
            content=lesson.content,
            title=lesson.title,
            kind=lesson.kind,
            tags=(TAG,),
            paths=lesson.paths,
            importance=lesson.sure,
            metadata={TAG: source},
        ),
        reason=f"{lesson.evidence} in a session of {conversation.host}, {day}: "
        f"gitmem session show {source}",
        confidence=lesson.sure,
        identity=lesson.sentence,
    )
