"""The provenance of a write, and refusing agents what only people may do."""

from __future__ import annotations

from gitmem.app import App
from gitmem.branches import subprojects
from gitmem.errors import Conflict, NotARepository
from gitmem.git.head import TRUNKS
from gitmem.memory import trust
from gitmem.memory.draft import MemoryOrigin
from gitmem.model.memory import WAITING, Memory
from gitmem.sessions.current_session import current_session

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from gitmem.model.suggestion import Suggestion

_IN_TERMINAL = "Ask the person you work for to run this command in a terminal."


def memory_origin(app: App, scope: str, session: str = "") -> MemoryOrigin:
    """The MemoryOrigin of a memory written now: who writes it, where, and a new id.

    ``scope`` is project or global; a global memory has no project. ``session`` names its session;
    empty: the running one.
    """
    author = _author(app)
    if scope == "global":
        return MemoryOrigin(
            id=app.new_id(),
            now=app.now,
            project="",
            agent=app.agent,
            author=author,
            source=app.source,
        )
    running, id = current_session(app, session), app.new_id()
    return MemoryOrigin(
        id=id,
        now=app.now,
        project=subprojects.project_key_for_new_memories(app),
        agent=app.agent,
        author=author,
        session="" if running is None else running.id,
        branch=app.git_head.branch or "",
        commit=_birth_commit(app, id),
        source=app.source,
    )


def _author(app: App) -> str:
    """The name of the person who writes, as git knows it; empty for an agent."""
    if app.agent or app.source != "user_explicit":
        return ""
    from gitmem.git import config  # noqa: PLC0415 - agents write most memories

    try:
        name = config.commit_user_name(app.layout)
    except NotARepository:
        return ""
    if "@" not in name:
        return name
    from gitmem.git.log_output import author_without_email  # noqa: PLC0415 - hardly a name is an address

    return author_without_email(name)


def _birth_commit(app: App, id: str) -> str:
    """The commit of a new memory: HEAD, or a mark for the first commit that a new branch gets."""
    head = app.git_head
    if not (head.commit and head.branch) or head.branch in TRUNKS:
        return head.commit or ""
    from gitmem.git import ancestry, branch_log  # noqa: PLC0415 - reading needs neither

    steps = branch_log.read_branch_reflog(app.layout, head.branch)
    if not steps or steps[-1].made_on_branch or steps[-1].commit != head.commit:
        return head.commit
    if head.branch in ancestry.main_branch_names(app.layout.common_dir):
        return head.commit
    return f"{WAITING}{head.commit}{WAITING}{id}"


def is_agent(app: App) -> bool:
    """Whether an agent runs the command; over MCP an agent always does."""
    return bool(app.agent) or app.source == "ai_inferred"


def writer_name(app: App) -> str:
    """The name of the agent that runs the command, or "an agent"; empty for a person."""
    return app.agent or ("an agent" if is_agent(app) else "")


def require_person(app: App, action: str) -> None:
    """Raise Conflict if an agent runs the command; ``action`` is such as "delete memories"."""
    if is_agent(app):
        raise Conflict(
            f"{app.agent or 'An agent'} is an agent, and only a person can {action}.",
            _IN_TERMINAL,
        )


def check_may_accept(app: App, suggestion: Suggestion) -> None:
    """Raise Conflict if an agent runs this and may not accept the suggestion.

    The setting ``inbox.accept_by`` names agents with the kinds of suggestion that each may accept,
    except its own ones.
    """
    if not is_agent(app):
        return
    agent, marked = writer_name(app), app.settings.detected_host_agent
    allowed = {pair.strip() for pair in app.settings.text("inbox.accept_by").split(",")}
    if f"{agent}:{suggestion.kind}" not in allowed or marked not in ("", agent):
        require_person(app, "accept what waits in the inbox")
    if suggestion.agent == agent:
        raise Conflict(
            f"{agent} made this proposal, and no agent may accept its own proposals.", _IN_TERMINAL
        )


def check_may_change_trust(app: App, old: Memory, new: Memory) -> None:
    """Raise Conflict if an agent's edit needs a person, as ``trust.edit_needs_consent`` says.

    ``old`` and ``new`` are the memory before and after the edit.
    """
    if is_agent(app) and trust.edit_needs_consent(old, new):
        aside = old.status in ("deprecated", "superseded")
        state, what = (old.status, "bring it back") if aside else (_tier_words(old), "accept it")
        raise Conflict(
            f"Memory {old.id} is {state}, and {writer_name(app)} is an agent: only a person can "
            f"{what}.",
            _IN_TERMINAL,
        )


def check_may_supersede(app: App, newer: Memory, older: Memory) -> None:
    """Raise Conflict if ``newer`` may not replace ``older``, as no person accepted it yet.

    A foreign memory (imported) replaces only foreign ones, even for a person, who has to accept it
    first. A proposal replaces nothing if an agent asks.
    """
    foreign = newer.trust_tier == "foreign" and older.trust_tier != "foreign"
    waits = newer.status == "proposed" and older.status != "proposed"
    if foreign or (waits and is_agent(app)):
        verb = "trust" if foreign else "inbox accept"
        raise Conflict(
            f"Memory {newer.id} is {_tier_words(newer)}, so it cannot supersede {older.id}.",
            f"A person has to accept the memory first: gitmem {verb} {newer.id[:12]}",
        )


def check_may_be_global(app: App, memory: Memory, *, person_will_decide: bool = False) -> None:
    """Raise Conflict if a memory may not become visible in every project.

    Only a person may do that; with ``person_will_decide``, an agent may ask for it. A memory that
    waits as a proposal, or came with the repository or an import, has to be accepted first.
    """
    if not person_will_decide:
        require_person(app, "make a memory hold in every project")
    if not trust.is_more_trusted(memory.trust_tier, "repository") or memory.status == "proposed":
        verb = "inbox accept" if memory.status == "proposed" else "trust"
        raise Conflict(
            f"Memory {memory.id} is {_tier_words(memory)}, so it cannot be made global.",
            f"A person has to accept the memory first: gitmem {verb} {memory.id[:12]}",
        )


def _tier_words(memory: Memory) -> str:
    return "foreign" if memory.trust_tier == "foreign" else "not accepted yet"


def may_change(app: App, memory: Memory) -> bool:
    """Whether the person or agent that runs the command may change this memory."""
    return trust.may_edit_memory(memory, by_agent=is_agent(app))


def check_may_change(app: App, memory: Memory) -> None:
    """Raise Conflict if an agent runs the command, but a person wrote or accepted the memory."""
    if may_change(app, memory):
        return
    state = "said by a person" if memory.trust_tier == "person" else "accepted by a person"
    decision = memory.kind == "decision"
    propose = (
        f"record yours with --supersedes {memory.id[:12]} (it is kept as a proposal)"
        if decision
        else f"remember what you found and link it to {memory.id[:12]} as CONTRADICTS"
    )
    raise Conflict(
        f"Memory {memory.id} was {state}, and {app.agent or 'an agent'} is an agent: only a person "
        "can change it.",
        f"Ask the person you work for, or {propose}.",
    )
