"""Answering a prompt: usually with nothing.

Otherwise: memories that cite a place the prompt names and that has changed since; how an error it
quotes was fixed before; at most two rules that it may go against, and two decisions or fixes that
hold nearly all of its rare words; and what ``hooks.reminders`` adds. The prompt's text is not kept.
"""

import zlib
from collections.abc import Iterator, Sequence

from gitmem.agents.events import event_log, messages, record, responses
from gitmem.agents.events.hook_event import HookEvent
from gitmem.agents.events.messages import HookContext
from gitmem.app import App
from gitmem.errors import InvalidInput
from gitmem.model.frozen import replace
from gitmem.store.session import hook_queries
from gitmem.store.session.hook_queries import RULES
from gitmem.timeline import suggestions
from gitmem.timeline.suggestions import CodeNamedInPrompt, MessageAboutMemory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.model.memory import Memory

ANSWERS = ("decision", "fix")
MOST_ANSWERS = MOST_AGAINST = 2
MOST_STALE = 3
# Memories of a place that are read, and characters of a prompt whose words are looked up.
_MOST_LOOKS, _LONGEST = 20, 4_000
_LEAST_LETTERS = 3
_RECENT_FILES, _LONGEST_ERROR = 3, 180


def answer_prompt(app: App, hook_event: HookEvent) -> str:
    """The text for the model at a prompt: memories that bear on it; nearly always empty.

    Raises GitmemError.
    """
    record.record_session_event(app, hook_event, event_log.PROMPT)
    record.start_event_log_drain(app, hook_event)
    if not hook_event.prompt.strip() or not responses.hook_text_reaches_model(hook_event):
        return ""
    hook = messages.open_hook_context(app, hook_event)
    if hook is None:
        return ""
    text = hook_event.prompt[: suggestions.LONGEST]
    candidates = _find_stale(hook, suggestions.read_code_names(text))
    if (fix := messages.find_fix_of_error(hook, text)) is not None:
        candidates.append(messages.describe_fix(hook, fix))
    candidates += _find_related(hook, text)
    if triggers := app.settings.text("hooks.reminders"):
        candidates += _reminders(hook, triggers)
    return messages.render_messages(hook, candidates)


def _reminders(hook: HookContext, triggers: str) -> Iterator[MessageAboutMemory]:
    """What the session did last, for the triggers of ``hooks.reminders``; each text once."""
    from gitmem.store.session import sessions  # noqa: PLC0415 - for whoever has set it
    from gitmem.timeline import current_scores  # noqa: PLC0415 - as above

    running = record.find_stored_session(
        hook.app, hook.database, hook.hook_event, only_running=True
    )
    if running is None:
        return
    texts = {"session_context": ", ".join(running.files[:_RECENT_FILES])}
    for trigger, type in (("command_context", "command"), ("recent_error", "error")):
        last = sessions.events_in_period(hook.database, session=running.id, types=(type,), limit=1)
        texts[trigger] = last[0].text[:_LONGEST_ERROR] if last else ""
    if not current_scores.is_test_or_build_command(texts["command_context"]):
        texts["command_context"] = ""
    for trigger in map(str.strip, triggers.split(",")):
        if texts[trigger]:
            mark = f"{trigger.replace('_', '')}{zlib.crc32(texts[trigger].encode()):08x}"
            yield MessageAboutMemory(mark, trigger, "", texts[trigger])


def _find_stale(hook: HookContext, named: CodeNamedInPrompt) -> list[MessageAboutMemory]:
    """Messages about memories of places that the prompt names, if the cited code has changed."""
    ids = {
        id for id in _ids_citing(hook, named) if suggestions.stale_warning_key(id) not in hook.shown
    }
    if not ids:
        return []
    memories = hook_queries.filter_memories(
        hook.database, ids, messages.visible_memory_filter(hook)
    )[:_MOST_LOOKS]
    states = messages.freshness_by_memory_id(hook, memories)
    stale = [memory for memory in memories if memory.id in states and states[memory.id].is_stale]
    return [
        messages.add_freshness_note(
            messages.memory_as_message(hook, "check", memory), states[memory.id]
        )
        for memory in stale[:MOST_STALE]
    ]


def _ids_citing(hook: HookContext, named: CodeNamedInPrompt) -> set[str]:
    """Ids of the memories that cite a named path or symbol."""
    ids: set[str] = set()
    if named.paths:
        rows = hook_queries.anchors_by_file_name(hook.database, named.paths)
        unsure = suggestions.ambiguous_file_names(path for _, path in rows)
        sure = [path for path in named.paths if path not in unsure]
        ids.update(memory for memory, path in rows if suggestions.is_path_named(path, sure))
    if named.names:
        rows = hook_queries.anchored_symbols(hook.database)
        ids.update(
            memory for memory, symbol in rows if suggestions.is_symbol_named(symbol, named.names)
        )
    return ids


def _find_related(hook: HookContext, text: str) -> list[MessageAboutMemory]:
    """Rules that the prompt may go against, and memories with nearly all of its rare words."""
    telling = _rare_words(hook, text)
    expression = " OR ".join(telling.values())
    # A few rare words are enough to go against a rule; an answer takes more.
    kinds = (*RULES, *ANSWERS) if len(telling) >= suggestions.MIN_SHARED_WORDS else RULES
    if not telling or not hook_queries.any_memory_matching(hook.database, expression, kinds):
        return []
    from gitmem.store.memory import memories, memory_search  # noqa: PLC0415 - most prompts tell nothing

    visible = messages.visible_memory_filter(hook, tuple(dict.fromkeys(kinds)))
    numbers = [
        n
        for n, _ in memory_search.best_matching_memories(
            hook.database, expression, visible, _MOST_LOOKS
        )
    ]
    held = (
        memory_search.matching_expression_labels_by_memory(hook.database, telling, numbers)
        if numbers
        else {}
    )
    met = {n: len(words) for n, words in held.items()}
    if not met:
        return []
    matches = memories.memories_by_row_number(hook.database, list(met), visible)
    against = [*_find_conflicts(hook, text, matches, met)][:MOST_AGAINST]
    rest = [memory for memory in matches if memory.id not in {message.id for message in against}]
    return [*against, *_find_answers(hook, rest, met, len(telling))]


def _find_conflicts(
    hook: HookContext, text: str, memories: "Sequence[Memory]", met: dict[int, int]
) -> Iterator[MessageAboutMemory]:
    """Messages about rules that the prompt may go against, with the reason."""
    rules = [
        memory
        for memory in memories
        if memory.kind in RULES
        and suggestions.contradiction_warning_key(memory.id) not in hook.shown
    ]
    if all(met[rule.seq] == 1 for rule in rules):
        from gitmem.text.negation_words import CHOOSES  # noqa: PLC0415 - few prompts speak of a rule

        rules = rules if CHOOSES & {*text.lower().split()} else []
    if not rules:
        return
    from gitmem.memory import conflict, contradiction, plan  # noqa: PLC0415 - as above

    statements = plan.split_plan_statements(text[:_LONGEST])
    for rule in sorted(rules, key=lambda rule: (-met[rule.seq], -rule.weight, rule.id)):
        stance = conflict.read_text_stance(plan.title_and_content(rule))
        for statement in statements:
            concerns = met[rule.seq] > 1
            clash = contradiction.find_memory_conflict(
                statement, rule, stance, is_known_same_topic=concerns
            )
            # A single word is enough if the prompt chooses it: "use sqlite3".
            if clash and (
                concerns
                or statement.stance.chosen & conflict.words_by_stem(" ".join(clash.terms)).keys()
            ):
                yield replace(messages.memory_as_message(hook, "against", rule), note=clash.why)
                break


def _find_answers(
    hook: HookContext, memories: "Sequence[Memory]", met: dict[int, int], telling: int
) -> list[MessageAboutMemory]:
    """Decisions and fixes that hold nearly all of the prompt's rare words."""
    fresh = [
        memory
        for memory in memories
        if memory.kind in ANSWERS
        and memory.id not in hook.shown
        and suggestions.shares_enough_words(met[memory.seq], telling)
    ]
    fresh.sort(key=lambda memory: (-met[memory.seq], -memory.weight, -memory.updated_at, memory.id))
    chosen = fresh[:MOST_ANSWERS]
    states = messages.freshness_by_memory_id(hook, chosen)
    return [
        messages.add_freshness_note(
            messages.memory_as_message(hook, "answer", memory, (float(met[memory.seq]),)),
            states.get(memory.id),
        )
        for memory in chosen
    ]


def _rare_words(hook: HookContext, text: str) -> dict[str, str]:
    """The words of a prompt that few memories hold, each with its search expression."""
    from gitmem.search import query  # noqa: PLC0415 - the words come last
    from gitmem.store.db import full_text  # noqa: PLC0415 - as above

    try:
        terms = query.parse_terms(text[:_LONGEST])
    except InvalidInput:
        return {}  # a prompt without a word
    most = hook_queries.max_memory_count_of_rare_word(hook.database)
    counts = {
        term: full_text.count_matching_rows(hook.database, "memory_text", term.expression, most + 1)
        for term in terms
        if len(term.label) >= _LEAST_LETTERS and not term.label.isdigit()
    }
    return {term.label: term.expression for term, count in counts.items() if 0 < count <= most}
