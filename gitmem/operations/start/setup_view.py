"""The answer of `gitmem setup`: the state of each file and agent, and a diff."""

from gitmem.agents.hosts.host_paths import short
from gitmem.agents.wiring import plan
from gitmem.agents.wiring.commit_safety import FileItem
from gitmem.agents.wiring.plan import Step
from gitmem.agents.wiring.wiring_status import NONE
from gitmem.model.frozen import dataclass
from gitmem.text.fence import one_line


@dataclass(frozen=True, slots=True)
class AgentItem:
    """The state of an agent: configured, partial, none or untrusted, where, and why."""

    agent: str
    title: str
    state: str
    installed: bool
    found: tuple[str, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SetUp:
    """What was done, or the state of the agents. ``changed`` counts changed files.

    ``project`` and ``home`` are the folders that displayed paths are relative to.
    """

    action: str
    dry_run: bool
    project: str
    home: str
    agents: tuple[AgentItem, ...]
    files: tuple[FileItem, ...]
    changed: int
    diff: str
    notes: tuple[str, ...]


def diff(step: Step, name: str) -> str:
    """The change as `diff -u` shows it, secrets masked."""
    import difflib  # noqa: PLC0415 - only a dry run shows a diff

    from gitmem.text.redact import redact  # noqa: PLC0415

    def lines(content: bytes | None) -> list[str]:
        text = (content or b"").decode("utf-8", "replace")
        # Masked line by line: otherwise a secret over two lines would join them.
        return [redact(line).text for line in text.split("\n")]

    before, after = lines(step.seen.content), lines(step.content)
    old = "/dev/null" if step.seen.content is None else name
    new = "/dev/null" if step.content is None else name
    patch = list(
        difflib.unified_diff(_diff_lines(before), _diff_lines(after), old, new, lineterm="")
    )
    return "".join(f"{line}\n" for line in patch)


def _diff_lines(lines: list[str]) -> list[str]:
    """Lines as diff shows them: a marker follows a last line without a line end."""
    if lines[-1] == "":
        return lines[:-1]
    return [*lines[:-1], lines[-1] + "\n\\ No newline at end of file"]


def view(result: SetUp) -> str:
    """A line for each file or agent, then notes."""
    if result.action == "status":
        lines = [
            line for agent in result.agents if _is_shown(agent) for line in _agent_lines(agent)
        ]
        absent = ", ".join(agent.agent for agent in result.agents if not _is_shown(agent))
        lines += [f"{NONE:<11} {absent}: not installed here"] if absent else []
        lines += [f"note: {one_line(note, 600)}" for note in result.notes]
        return short("\n".join(lines), result.project, result.home)
    lines = [result.diff] if result.diff else []
    if not result.changed:
        lines.append("nothing to do")
    elif result.dry_run:
        lines.append("Without --dry-run, this would be done:")
    names = [one_line(short(file.path, result.project, result.home), 200) for file in result.files]
    width = max((len(name) for name in names if len(name) <= 60), default=0)
    for file, name in zip(result.files, names, strict=True):
        lines.append(f"{_state(file, result.dry_run):<8} {name:<{width}}  {_owners(file)}".rstrip())
        lines += [f"{'':<9}{file.note}"] if file.note else []
    notes = [short(note, result.project, result.home) for note in result.notes]
    lines += [f"note: {one_line(note, 600)}" for note in notes]
    return "\n".join(lines)


def _state(file: FileItem, dry_run: bool) -> str:
    would = {plan.WRITTEN: "write", plan.REMOVED: "remove"} if dry_run else {}
    return would.get(file.state, file.state)


def _owners(file: FileItem) -> str:
    if not file.agents:
        done = "keeps" if file.state == plan.WRITTEN else "kept"
        return f"{done} machine-specific files out of commits"
    text = f"{', '.join(file.agents)}: {', '.join(file.parts)}".rstrip(": ")
    return text + " (git)" * (file.committed and file.personal and file.state == plan.WRITTEN)


def _is_shown(agent: AgentItem) -> bool:
    return agent.installed or agent.state != NONE


def _agent_lines(agent: AgentItem) -> list[str]:
    absent = "" if agent.installed else " (not installed here)"
    lines = [f"{agent.state:<11} {agent.agent}{absent}"]
    lines += [f"{'':<12}{one_line(place, 200)}" for place in agent.found]
    lines += [f"{'':<12}! {one_line(reason, 600)}" for reason in agent.reasons]
    return lines
