"""A question answered in sentences with their sources, or "I do not know"."""

from gitmem.app import App
from gitmem.assembly import answer_budget, cited_answer, source_relations
from gitmem.assembly.answer_confidence import UNJUDGED, AnswerConfidence
from gitmem.assembly.answer_evidence import FILES
from gitmem.assembly.cited_answer import CitedAnswer, CitedSentence, CitedSource, SourceGroup
from gitmem.assembly.source_relations import SourceRelation
from gitmem.errors import InvalidInput, Unavailable
from gitmem.maintenance import index_request, usage
from gitmem.model.frozen import dataclass, replace
from gitmem.operations import form_answer
from gitmem.operations.registry import READ, Annotated, Arg, Operation, Texts, unquoted_words_arg
from gitmem.retrieval import annotate
from gitmem.retrieval.question import FileScope
from gitmem.search import model_answer, query, question_plan
from gitmem.search.question import parse_question
from gitmem.store.code import indexed_files
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity
from gitmem.text.redact import redact
from gitmem.text.tokens import estimate_tokens

EXTRACT = "extract"
_SHOWN = 60
_WIDTH = 100
_RELATIONS = 3  # that the text shows


@dataclass(frozen=True, slots=True)
class AskRequest:
    """Arguments of `gitmem ask`: a question to answer from the repository, limits of the answer.

    ``plan`` only shows what would be run. ``file`` is the file at work, ``path`` a glob and
    ``lang`` are languages to search only (empty: all); ``budget`` limits the tokens cited,
    ``max_tokens`` those of the answer (None: no limit). ``temperature`` is for the model at
    `ask.endpoint`.
    """

    question: Annotated[str, unquoted_words_arg("What you want to know")]
    plan: Annotated[bool, Arg("Only show which commands would be run, and why")] = False
    file: Annotated[str, Arg("The file you are working on", path_kind="path")] = ""
    path: Annotated[str, Arg("Only files matching src/**/*.py", path_kind="glob", mcp=False)] = ""
    lang: Annotated[Texts, Arg("Only files in this language", mcp=False)] = ()
    budget: Annotated[
        int | None,
        Arg("At most so many tokens of what is cited", minimum=1, maximum=200_000, mcp=False),
    ] = None
    mode: Annotated[
        str,
        Arg(
            "What is read of a place: its lines (stitch), or the sentences that answer (pack), so "
            "that more places fit into --budget",
            choices=("stitch", "pack"),
            mcp=False,
        ),
    ] = "stitch"
    max_tokens: Annotated[
        int | None,
        Arg("At most so many tokens of the answer itself", minimum=1, maximum=200_000, mcp=False),
    ] = None
    temperature: Annotated[
        float | None,
        Arg("Of the model at ask.endpoint (default: 0.3)", minimum=0, maximum=2, mcp=False),
    ] = None


@dataclass(frozen=True, slots=True)
class AnswerPlanCommand:
    """A command of the plan, and why it is run; ``runs`` is false if it is only proposed.

    ``found`` counts the places that it found, ``milliseconds`` is how long it took; both are null
    if it was not run. If the question has a form that a command answers by itself, only that
    command is run.
    """

    command: str
    why: str
    runs: bool
    found: int | None = None
    milliseconds: float | None = None


@dataclass(frozen=True, slots=True)
class AnswerPlan:
    """How a question will be answered: its kind, how certain that kind is (0 to 1), and the steps.

    ``left_out`` counts steps that were dropped since a plan has a limit.
    """

    kind: str
    sure: float
    limit: int
    steps: tuple[AnswerPlanCommand, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class AskResult:
    """An answer with its sources.

    ``known`` is false if there is no answer; then ``sources`` are the places nearest to the
    question. ``answer`` is the text, in which each sentence has its citations; ``sentences`` are
    the same sentences with the numbers of their ``sources``. ``written_by`` is extract if the
    sentences are quoted from their sources, else the model that wrote them, or the command
    (``gitmem why``) whose answer they are. With --plan only ``plan`` is filled, and ``run`` is
    false. ``context_tokens`` are those of the cited lines that were read, ``relations`` say which
    source imports, calls, extends or is about which other source.
    """

    answer: str
    known: bool
    run: bool
    sentences: tuple[CitedSentence, ...]
    sources: tuple[CitedSource, ...]
    groups: tuple[SourceGroup, ...]
    related: tuple[str, ...]
    confidence: AnswerConfidence
    written_by: str
    plan: AnswerPlan
    notes: tuple[str, ...] = ()
    context_tokens: int = 0
    relations: tuple[SourceRelation, ...] = ()


def answer_question(app: App, request: AskRequest) -> AskResult:
    """Answer a question in sentences with their sources.

    The sentences are quoted word for word from the lines, commits and memories they cite; if
    nothing clearly answers, it says so. --plan shows which commands would be run and why, and runs
    nothing. With --path or --lang only these files are searched: no commits, no memories and not
    the code graph. A model writes the answer only if `ask.endpoint` is set; see `gitmem config
    ask.endpoint`; a key for it comes from GITMEM_ASK_KEY.
    """
    if not request.question.strip():
        raise InvalidInput("There is no question.", 'Ask one: gitmem ask "who calls load_config".')
    query.parse_terms(request.question)  # refuses a question that is far too long
    texts = query.split_text_into_questions(request.question)
    plans = [question_plan.plan_question(parse_question(text)) for text in texts]
    plan = question_plan.join_question_plans(plans)
    if request.plan or not any(step.runs for step in plan.steps):
        return _plan_only(plan)
    if indexed_files.worktree_index_state(app.store, app.worktree) is None:
        from gitmem.indexing import first_search  # noqa: PLC0415 - once in a worktree's life

        first_search.prepare_first_search(app)
    result = cited_answer.answer_questions(
        app,
        texts,
        plans,
        form_answer.answer_known_question,
        open_file=request.file,
        scope=_scope(app, request),
    )
    packed = request.mode == "pack"
    answer = answer_budget.fit_answer_to_budget(
        result.answer, request.budget, request.max_tokens, quotes_only=packed
    )
    written = _write(app, request, answer)
    usage.record_question_usage(app, "search", answered=answer.known)
    _count_memories(app, result)
    return AskResult(
        answer=cited_answer.format_answer(answer, written.sentences),
        known=answer.known,
        run=True,
        sentences=written.sentences,
        sources=answer.sources,
        groups=answer.groups,
        related=answer.related,
        confidence=answer.confidence,
        written_by=written.by,
        plan=_plan_item(replace(plan, steps=result.steps)),
        notes=(
            *_notes(plan),
            *answer_budget.describe_omitted_sources(result.answer, answer),
            *result.notes,
            *written.notes,
            *index_request.describe_stale_index(app),
        ),
        context_tokens=sum(map(estimate_tokens, answer.excerpts)),
        relations=source_relations.relations_between_sources(app, answer.sources)
        if answer.known
        else (),
    )


def _scope(app: App, request: AskRequest) -> FileScope:
    """The files that may be cited."""
    if not (request.path or request.lang):
        return FILES
    from gitmem.retrieval import file_filters  # noqa: PLC0415 - only to filter files

    path = file_filters.validate_path_pattern(app, request.path)
    return replace(FILES, path=path, languages=file_filters.parse_language_filter(request.lang))


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """An answer to a question: its sentences, who wrote them, and notes.

    The writer is ``extract`` (quoted from sources), a command or a model; notes say why it was that
    one.
    """

    sentences: tuple[CitedSentence, ...]
    by: str
    notes: tuple[str, ...] = ()


def _write(app: App, request: AskRequest, answer: CitedAnswer) -> WrittenAnswer:
    """The sentences of a model if its reply is accepted, else the quoted ones.

    Only the cited lines are sent, with secrets removed, and to another machine only if a person
    agreed to that address in this project. No model is asked if there is no answer (it would invent
    one) or if a verb knows it.
    """
    address = app.settings.text("ask.endpoint")
    if not address or not answer.known or answer.words:
        return WrittenAnswer(answer.sentences, f"gitmem {answer.by}" if answer.by else EXTRACT)
    # Imported here: without an endpoint no network code is loaded.
    from gitmem.assembly import model_endpoint  # noqa: PLC0415
    from gitmem.maintenance import endpoint_consent  # noqa: PLC0415

    if why := endpoint_consent.why_sending_is_refused(app, "ask.endpoint", address):
        return _drawn(answer, why)
    model = app.settings.text("ask.model")
    query = redact(request.question).text
    excerpts = [redact(text).text for text in answer.excerpts]
    prompt = model_answer.build_prompt(query, [source.cite for source in answer.sources], excerpts)
    endpoint = model_endpoint.LanguageModelEndpoint(
        address, model, app.settings.ask_endpoint_key, request.temperature, request.max_tokens
    )
    try:
        reply = model_endpoint.ask_language_model(
            endpoint, model_answer.INSTRUCTIONS, prompt, timeout=model_endpoint.TIMEOUT
        )
    except Unavailable as error:
        return _drawn(answer, f"The endpoint was not used: {error.message}.")
    accepted = model_answer.check_model_reply(redact(reply).text, query, excerpts)
    if isinstance(accepted, str):
        return _drawn(answer, f"The answer of the endpoint was not used: {accepted}.")
    if not accepted:
        return _drawn(answer, "The model found no answer in what is cited here.")
    sentences = tuple(
        CitedSentence(one_line(sentence.text, len(sentence.text)), sentence.sources)
        for sentence in accepted
    )
    return WrittenAnswer(sentences, one_line(model or "the model of ask.endpoint", _SHOWN))


def _drawn(answer: CitedAnswer, note: str) -> WrittenAnswer:
    return WrittenAnswer(answer.sentences, EXTRACT, (note,))


def _count_memories(app: App, result: cited_answer.AnswerWithSteps) -> None:
    """Memories that an answer cites count as used, as recalled ones do."""
    answer = result.answer
    cited = {source.id for source in answer.sources if source.id} if answer.known else set()
    home = {database.scope: database for database in app.stores()}
    shown = [place.memory for place in result.places if place.memory and place.memory.id in cited]
    if shown:
        annotate.record_shown_memories(app, [(memory, home[memory.scope]) for memory in shown])


def _plan_only(plan: question_plan.QuestionPlan) -> AskResult:
    """Only the plan: with --plan, or if the text is not a question."""
    return AskResult(
        answer="",
        known=False,
        run=False,
        sentences=(),
        sources=(),
        groups=(),
        related=(),
        confidence=UNJUDGED,
        written_by="",
        plan=_plan_item(plan),
        notes=_notes(plan),
    )


def _notes(plan: question_plan.QuestionPlan) -> tuple[str, ...]:
    notes = []
    if not any(step.runs for step in plan.steps):
        notes.append("This is not a question, so nothing was run.")
    if plan.left_out:
        steps = quantity(plan.left_out, "step is", "steps are")
        notes.append(f"{steps} left out: ask about fewer names at once.")
    return tuple(notes)


def _plan_item(plan: question_plan.QuestionPlan) -> AnswerPlan:
    steps = tuple(
        AnswerPlanCommand(step.command, step.why, step.runs, step.found, step.milliseconds)
        for step in plan.steps
    )
    return AnswerPlan(plan.kind, plan.sure, plan.limit, steps, plan.left_out)


def view(result: AskResult) -> str:
    """Return the text to print: the answer with its sources, or the plan."""
    if not result.run:
        return "\n".join([*_plan_lines(result.plan), *result.notes])
    lines = [result.answer]
    if not result.known and result.sources:
        nearest = (f"{source.cite} {source.title}".rstrip() for source in result.sources[:3])
        lines += ["The nearest:", *(f"  {one_line(line, _WIDTH)}" for line in nearest)]
    if doubts := [
        f"{source.cite}: {source.note}" for source in result.sources if source.note and result.known
    ]:
        lines += ["", *(f"({doubt})" for doubt in doubts)]
    cites = {source.number: source.cite for source in result.sources}
    # Without a name whole files are related, not the cited lines.
    files = {source.number: source.id or source.path for source in result.sources}
    for row in result.relations[:_RELATIONS]:
        at, place = (cites, f" {row.name}: {cites[row.target]}") if row.name else (files, "")
        lines.append(f"({at[row.source]} {row.relation}{place or f' {files[row.target]}'})")
    if result.related and result.known:
        lines += ["", f"Related: {one_line(', '.join(result.related), _WIDTH)}"]
    lines += result.notes
    if result.known:
        sure = result.confidence
        remarks = []
        if sure.score:
            remarks.append(f"confidence {sure.level}: {sure.score} of 100 such answers were right")
        elif not result.written_by.startswith("gitmem "):
            remarks.append("a guess from search: no such question was judged")
        # Sentences quoted from the project need no author: each names its source.
        if result.written_by != EXTRACT:
            remarks.append(f"by {result.written_by}")
        lines.append(f"({'; '.join(remarks)})")
    return "\n".join(lines)


def _plan_lines(plan: AnswerPlan) -> list[str]:
    head = f"Plan ({plan.kind}, {plan.sure:.0%} sure; at most {plan.limit} sources):"
    steps = [
        f"  {number}. {one_line(step.command, 2 * _WIDTH)}\n     {step.why}"
        + ("" if step.runs else "; not run by ask")
        for number, step in enumerate(plan.steps, 1)
    ]
    return [head, *steps]


ASK = Operation("ask", answer_question, view, READ, '"who calls load_config, and why"', tool="ask")
