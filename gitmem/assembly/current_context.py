"""The context without a question: the running session, relevant memories, suggestions."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from gitmem.app import App
from gitmem.assembly import file_context, query_context, remembered, token_budget
from gitmem.assembly.answer_confidence import UNJUDGED
from gitmem.assembly.orientation_facts import HEARD
from gitmem.assembly.query_context import (
    AssembledContext,
    ContextSection,
    CurrentContext,
    GhostMessage,
    RelevantMemoryItem,
)
from gitmem.errors import GitmemError
from gitmem.git import status
from gitmem.model.anchor import Freshness
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.model.section import AnswerSection
from gitmem.model.session import QUERY, Session
from gitmem.retrieval import annotate, citing_memories, memory_recall, request_filters
from gitmem.retrieval.memory_view import MemoryItem
from gitmem.sessions import feature_context, injection
from gitmem.store.code import symbols
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories
from gitmem.store.memory.filters import MemoryFilter
from gitmem.store.session import sessions
from gitmem.text.fence import one_line
from gitmem.text.name_secrets import redact_name
from gitmem.text.token_ceiling import max_token_count
from gitmem.timeline import current_scores, resumption
from gitmem.timeline.current_scores import ScoredMemory, WorkSituation

# Limits of each list: working memories, recent and similar ones, and what is shown of them.
WORKING, LATEST, ALIKE, RELEVANT, PATTERNS, GHOSTS, RELATED, QUERIES = 10, 5, 5, 10, 5, 5, 8, 5
_BUILT_FROM = 3  # working memories that make up the query
_WIDTH, _SHORT, _ERROR = 300, 200, 180
_LASTING = ("project", "global")  # layers of the relevant memories
_OF_FILE = 12  # lines on the active file
_OF_FEATURE = 8  # files
_FIXES = ("fix", "error", "problem")


def gather_current_context(
    app: App,
    session: Session | None,
    max_tokens: int,
    *,
    file: str = "",
    command: str = "",
    language: str = "",
) -> AssembledContext:
    """Return the context of the work in progress, at most ``max_tokens`` tokens long.

    ``file`` and ``command`` are what the user edits and runs (empty: the session's file, none);
    memories on code patterns of ``language`` come first. ``session`` is the running one or None.
    """
    count, counted_by = query_context.configured_token_counter(app)
    file = file or (session.active_file if session else "")
    relevant, now = _now(app, session, file, command, language)
    sections = _sections(app, session, now)
    packed = token_budget.pack_sections(sections, max_tokens, markdown=True, count_tokens=count)
    text = packed.text.strip("\n")
    annotate.record_shown_memories(app, relevant)
    items = [item.memory for item in now.relevant]
    return AssembledContext(
        context=text,
        sources=tuple(
            query_context.context_source_of_memory(item.memory, item.score) for item in now.relevant
        ),
        token_count=count(text),
        max_tokens=max_tokens,
        counted_by=counted_by,
        decisions=tuple(item for item in items if item.kind == "decision"),
        confidence=UNJUDGED,
        left_out=sum(cost.left_out for cost in packed.costs),
        notes=() if text else (query_context.NOTHING_FITS,),
        now=replace(
            now,
            sections=tuple(
                ContextSection(section.name, section.rank, section.lines) for section in sections
            ),
        ),
    )


def _now(
    app: App, session: Session | None, file: str, command: str, language: str
) -> tuple[list[tuple[Memory, Database]], CurrentContext]:
    """The relevant memories, each with its store, and all parts of the context."""
    heard = _recent_events(app, session)
    error = heard.get("error", "")
    cut = injection.limits_for_session(app.store, session)
    own = _working(app, session)
    command = command or heard.get("command", "") or _reported_check(own)
    working = [memory for memory in own if memory.pinned or memory.id not in cut.excluded_ids]
    session_texts = [session.goal, *heard.get("note", "").split("\n")] if session else []
    texts = [memory.content for memory in working[:_BUILT_FROM]] or [
        text for text in session_texts if text
    ]
    situation = WorkSituation(
        session.id if session else "",
        file,
        command,
        error,
        current_scores.extract_long_words([*texts, *session_texts]),
    )
    relevant = _score_relevant(app, situation, texts, own, cut)
    symbol = _symbol(app, file, situation)
    home = {database.scope: database for database in app.stores()}
    pairs = [(weighed.memory, home[weighed.memory.scope]) for weighed in relevant]
    patterns = _patterns(app, language, file)
    ids = [weighed.memory.id for weighed in relevant]
    used = memories.access_counts_and_times(app.store, [*ids, *(item.id for item in patterns)])
    return pairs, CurrentContext(
        working=_items(app, working),
        relevant=tuple(
            RelevantMemoryItem(item, weighed.score, weighed.why)
            for item, weighed in zip(annotate.make_memory_items(app, pairs), relevant, strict=True)
        ),
        patterns=patterns,
        suggestions=tuple(
            current_scores.suggest_next_steps(
                relevant,
                current_symbol=symbol,
                current_file=file,
                current_error=one_line(error, _ERROR),
                uses_by_memory_id={id: many for id, (many, _) in used.items()},
                pattern_names_by_id=_pattern_names(patterns, relevant),
            )
        ),
        ghost_messages=_ghost_messages(session, relevant, symbol, situation),
        active_file=file,
        active_symbol=symbol,
        related=_citing_file(relevant),
        queries=tuple(heard[QUERY].split("\n")) if heard.get(QUERY) else (),
        error=error,
        blocker=heard.get("blocker", ""),
    )


def _score_relevant(
    app: App,
    situation: WorkSituation,
    texts: Sequence[str],
    working: Sequence[Memory],
    limits: injection.SessionInjectionLimits,
) -> list[ScoredMemory]:
    """The memories that matter in a situation, with their scores, but for the working memory."""
    # Pinned memories are always included in a compacted session.
    critical = _select(app, RELEVANT, pinned=True) if limits.strategy else []
    scores = current_scores.parse_score_boosts(app.settings.text("context.scores"))
    relevant = [
        current_scores.score_memory_in_situation(memory, scores["recent"], situation, scores)
        for memory in critical
    ]
    selected_ids = {memory.id for memory in (*working, *critical)}
    alike = _relevant(app, situation, texts, selected_ids, scores)
    return relevant + [weighed for weighed in alike if weighed.memory.id not in limits.excluded_ids]


def _reported_check(working: Sequence[Memory]) -> str:
    """The newest command in working memories, as an event reported it, that tests or builds."""
    lines = (
        memory.content.partition("\n")[0].removeprefix("$ ")
        for memory in working
        if memory.kind == "command"
    )
    return next(filter(current_scores.is_test_or_build_command, lines), "")


def _pattern_names(
    patterns: Sequence[MemoryItem], relevant: Sequence[ScoredMemory]
) -> dict[str, str]:
    """The names of the patterns by id, and of the relevant ones that are stored as JSON."""
    by_id = {item.id: (item.title, item.content) for item in patterns if item.kind == "pattern"}
    for memory in (item.memory for item in relevant):
        if memory.kind in ("pattern", "convention") and memory.content.startswith("{"):
            by_id[memory.id] = memory.title, memory.content
    return {id: _pattern_name(*texts) for id, texts in by_id.items()}


def _pattern_name(title: str, content: str) -> str:
    if not title and content.startswith("{"):
        from gitmem.patterns.pattern import pattern_name_in_json  # noqa: PLC0415 - seldom

        title = pattern_name_in_json(content)
    return title or one_line(content, 80)


def _citing_file(relevant: Sequence[ScoredMemory]) -> tuple[str, ...]:
    """The ids of the memories that cite the active file."""
    cites = "cites the active file"
    ids = (item.memory.id for item in relevant if any(why.startswith(cites) for why in item.why))
    return tuple(ids)[:RELATED]


def _patterns(app: App, language: str, file: str) -> tuple[MemoryItem, ...]:
    """The newest patterns; with a language or a file those that fit it best."""
    if not (language or file):
        return _items(app, _select(app, PATTERNS, kinds=query_context.PATTERNS))
    from gitmem.patterns import pattern_store  # noqa: PLC0415 - for who names one

    fit = pattern_store.list_visible_patterns(
        app, language=pattern_store.resolve_language_name(language), path=file
    )
    pairs = [(item.memory, item.database) for item in fit if item.memory.state == "active"]
    return tuple(annotate.make_memory_items(app, pairs[:PATTERNS]))


def _items(app: App, selected: Sequence[Memory]) -> tuple[MemoryItem, ...]:
    return tuple(annotate.make_memory_items(app, [(memory, app.store) for memory in selected]))


def _recent_events(app: App, session: Session | None) -> dict[str, str]:
    """The session's last events as text by type: one error, one command, some notes and queries."""
    if session is None:
        return {}
    heard = {}
    for type, most in (("error", 1), ("command", 1), ("note", 3), (QUERY, QUERIES)):
        last = sessions.events_in_period(app.store, session=session.id, types=(type,), limit=most)
        heard[type] = "\n".join(one_line(event.text, _WIDTH) for event in last)
    latest = sessions.events_in_period(
        app.store, session=session.id, types=resumption.TYPES, limit=HEARD
    )
    heard["blocker"] = one_line(resumption.find_blocking_error_or_note(latest), _WIDTH)
    return heard


def _working(app: App, session: Session | None) -> list[Memory]:
    """The working memories of the session, and this agent's that belong to none; newest first."""
    agent = "" if session else app.agent
    conditions = MemoryFilter(now=app.now, trusted_only=True, layers=("working",), agent=agent)
    here = request_filters.memory_filter_for_store(app, app.store, conditions)
    here = replace(here, working_session="" if session is None else session.id)
    return memories.select_memories(app.store, here, limit=WORKING)


def _select(app: App, limit: int, **narrower: object) -> list[Memory]:
    conditions = MemoryFilter(now=app.now, trusted_only=True, **narrower)  # type: ignore[arg-type]
    here = request_filters.memory_filter_for_store(app, app.store, conditions)
    return memories.select_memories(app.store, here, limit=limit)


def _relevant(
    app: App,
    situation: WorkSituation,
    texts: Sequence[str],
    known: set[str],
    scores: Mapping[str, float],
) -> list[ScoredMemory]:
    """Recent memories, those that cite the active file and similar ones, by weight."""
    base: dict[str, tuple[Memory, float]] = {}
    newest = _select(app, LATEST + len(known), layers=_LASTING)
    for memory in [memory for memory in newest if memory.id not in known][:LATEST]:
        base[memory.id] = memory, scores["recent"]
    if situation.file:
        for memory, _ in citing_memories.find_citing_memories(app, [situation.file])[:RELATED]:
            base.setdefault(memory.id, (memory, 0.0))
    question = " ".join(text for text in texts if text)[: _WIDTH * 3]
    lasting = MemoryFilter(now=app.now, trusted_only=True, layers=_LASTING)
    views = request_filters.memory_filters_by_store(app, "all", lasting)
    freshness: dict[str, Freshness] = {}
    with suppress(GitmemError):  # a goal without a word asks nothing
        room, most = ALIKE, ALIKE + len(known) + len(base)
        for hit in memory_recall.rank_memories(
            app, question, views, most, mode="hybrid", freshness=freshness
        ):
            before = base.get(hit.memory.id)
            if hit.memory.id in known or not (before or room):
                continue
            room -= before is None
            alike = hit.similarity if hit.similarity is not None else hit.score
            base[hit.memory.id] = hit.memory, max(alike, before[1] if before else 0.0)
    weighed = [
        current_scores.score_memory_in_situation(memory, score, situation, scores)
        for id, (memory, score) in base.items()
        if id not in known
    ]
    weighed.sort(key=lambda item: (-item.score, -item.memory.updated_at, item.memory.id))
    return weighed[:RELEVANT]


def _symbol(app: App, file: str, situation: WorkSituation) -> str:
    """The definition in the active file that the session mentions, else its first."""
    defined = [
        symbol
        for symbol in symbols.symbols_of_path(app.store, app.worktree, file)
        if not symbol.container
    ]
    spoken = (symbol for symbol in defined if symbol.name.lower() in situation.terms)
    large = (name for name in defined if name.kind in ("class", "function") and name.exported)
    return next((symbol.name for symbol in (*spoken, *large, *defined)), "") if file else ""


def _ghost_messages(
    session: Session | None, relevant: Sequence[ScoredMemory], symbol: str, at: WorkSituation
) -> tuple[GhostMessage, ...]:
    viewed = ", ".join(session.files[:3]) if session else ""
    decisions = [weighed.memory for weighed in relevant if weighed.memory.kind == "decision"]
    fixes = [weighed.memory for weighed in relevant if weighed.memory.kind in _FIXES]
    texts = [
        ("session_context", viewed and f"Recent files: {one_line(viewed, _SHORT)}", ""),
        *(
            ("relevant_decision", remembered.memory_full_text(decision), decision.id)
            for decision in decisions[:2]
        ),
        *(("bug_fix_context", fix.content, fix.id) for fix in fixes[:1]),
        ("recent_error", one_line(at.error, _ERROR), ""),
        ("active_code_context", symbol and f"At {symbol} in {at.file}", ""),
        ("command_context",
         f"Last check: {at.command}" if current_scores.is_test_or_build_command(at.command) else "",
         ""),
    ]  # fmt: skip
    messages: dict[str, GhostMessage] = {}
    for name, text, id in texts:
        line = one_line(text, _SHORT)
        if line:  # an error may be the newest memory of one, too
            messages.setdefault(line, GhostMessage(name, line, id))
    return tuple(messages.values())[:GHOSTS]


def _sections(app: App, session: Session | None, now: CurrentContext) -> list[AnswerSection]:
    """The sections with their ranks; those without lines are dropped."""
    decisions = [item for item in now.relevant if item.memory.kind == "decision"]
    others = [item for item in now.relevant if item.memory.kind != "decision"]
    suggestions = _bullets(suggestion.text for suggestion in now.suggestions)
    reminders = _bullets(message.content for message in now.ghost_messages)
    sections = (
        ("active code", "Active Code", _active_file_lines(app, now.active_file), 100),
        ("working", "Working Context", _working_lines(app, session, now), 90),
        ("decisions", "Related Decisions", map(_line, decisions), 85),
        ("errors", "Recent Errors", _bullets([now.error]), 80),
        ("relevant", "Relevant Memories", map(_line, others), 70),
        ("suggestions", "Suggestions", suggestions, 60),
        ("ghosts", "Reminders", reminders, 50),
    )
    made = (AnswerSection(name, title, tuple(lines), rank) for name, title, lines, rank in sections)
    return [section for section in made if section.lines]


def _active_file_lines(app: App, file: str) -> list[str]:
    if not file:
        return []
    with suppress(GitmemError):
        summary, _ = file_context.summarise_file(app, file, max_token_count)
        return [one_line(file, _WIDTH), *filter(None, summary.split("\n"))][:_OF_FILE]
    return []


def _working_lines(app: App, session: Session | None, now: CurrentContext) -> list[str]:
    lines = []
    if session is not None:
        for label, text in (
            ("goal", session.goal),
            ("active file", session.active_file),
            ("viewed", " ".join(session.files[:8])),
            ("asked", "; ".join(now.queries)),
            ("probable blocker", now.blocker),
        ):
            if text:
                lines.append(f"- {label}: {one_line(text, _WIDTH)}")
    lines.append(f"- branch: {redact_name(app.git_head.branch or '') or 'detached HEAD'}")
    lines += _feature_lines(app, session)
    with suppress(GitmemError):
        tree = status.read_status(app.layout)
        dirty = [*tree.staged, *tree.modified, *tree.untracked] if tree is not None else []
        if dirty:
            lines.append(
                "- uncommitted: "
                + one_line(" ".join(map(redact_name, dict.fromkeys(dirty))), _WIDTH)
            )
    return [*lines, *_bullets(memory.content or memory.title for memory in now.working)]


def _feature_lines(app: App, session: Session | None) -> list[str]:
    """The feature, if named by hand, and its earlier files that this session has not viewed."""
    feature = feature_context.current_feature(app)
    viewed_paths = set(session.files) if session else set()
    files = [path for path in feature.files if path not in viewed_paths][:_OF_FEATURE]
    name = one_line(feature.name, _WIDTH)
    lines = [f"- feature: {name}"] if feature.by_hand else []
    return [*lines, f"- earlier on {name}: {one_line(' '.join(files), _WIDTH)}"] if files else lines


def _line(relevant_item: RelevantMemoryItem) -> str:
    return query_context.memory_as_scored_line(relevant_item.memory, relevant_item.score)


def _bullets(texts: Iterable[str]) -> list[str]:
    return [f"- {one_line(text, _WIDTH)}" for text in texts if text]
