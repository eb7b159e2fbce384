"""Health checks: what is wrong, and how to fix it."""

from collections.abc import Iterator
from contextlib import suppress

from gitmem.agents.live.verdict import SIMULATED, TextDeliveryVerdict
from gitmem.app import App
from gitmem.doctor import checkup
from gitmem.doctor.finding import PROBLEM, CheckFinding, run_check_guarded
from gitmem.errors import GitmemError, NotARepository
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation


@dataclass(frozen=True, slots=True)
class DoctorRequest:
    """Arguments of `gitmem doctor`: ``fix`` repairs what can be, ``live`` also tests the agents."""

    fix: Annotated[bool, Arg("Repair what can be repaired without losing anything")] = False
    live: Annotated[
        bool,
        Arg(
            "Also start each agent's hooks and server as the agent does, in a sandbox, "
            "and report whether a memory would reach its model",
            mcp=False,
        ),
    ] = False


@dataclass(frozen=True, slots=True)
class DoctorResult:
    """The outcome of each check. ``failed`` counts problems that remain, ``live`` is of agents."""

    findings: tuple[CheckFinding, ...]
    failed: int
    live: tuple[TextDeliveryVerdict, ...] = ()


def check_installation_health(app: App, request: DoctorRequest) -> DoctorResult:
    """Check store, index, hooks, files and settings; --fix repairs.

    Checks the structure, the hash of each memory, the full-text index against the memories, the
    index against the checked-out files and against the settings it was built with, permissions,
    file system, backups, the copies outside the work tree, identity. Each git hook is run in a
    sandbox, away from the repository. --fix makes files private, rebuilds damaged indexes, adds
    what the index lacks, and reinstalls git hooks that are outdated or do not run. Nothing is ever
    deleted that cannot be rebuilt. Entries with gitmem's name in agents' files that are not
    gitmem's are reported, and `gitmem setup AGENT --replace` replaces them. --live tests what
    `gitmem setup` connected, without touching this repository or its store; programs named in a
    cloned file are not run.
    """
    findings = checkup.run_all_checks(app, request.fix)
    findings += run_check_guarded("session starts", app, _missed_starts)
    findings += run_check_guarded("agents", app, _impostors)
    live = _live(app) if request.live else ()
    states = [*(finding.state for finding in findings), *(host.verdict for host in live)]
    return DoctorResult(tuple(findings), states.count(PROBLEM), live)


def _missed_starts(app: App) -> Iterator[CheckFinding]:
    # Imported here: it imports the formats of all hosts.
    from gitmem.agents.events import missed_starts  # noqa: PLC0415

    with suppress(NotARepository):  # reported by another check
        yield from missed_starts.find_missed_session_starts(app)


def _impostors(app: App) -> Iterator[CheckFinding]:
    from gitmem.agents.wiring import surroundings  # noqa: PLC0415 - as above

    for impostor in surroundings.find_impostors_of_all_hosts(app):
        yield CheckFinding("agents", PROBLEM, f"danger: {impostor.message}", impostor.hint)


def _live(app: App) -> tuple[TextDeliveryVerdict, ...]:
    # Imported here: it imports the formats of all hosts.
    from gitmem.agents.live import report  # noqa: PLC0415

    try:
        return report.check_delivery_to_agents(app)
    except GitmemError as error:
        return (
            TextDeliveryVerdict("gitmem", "setup", PROBLEM, SIMULATED, error.message, error.hint),
        )


def view(result: DoctorResult) -> str:
    """Return the text to print: a line for each check, and for a failed one how to repair it."""
    lines = []
    for finding in result.findings:
        lines.append(f"{finding.state:<8} {finding.check:<13} {finding.message}")
        if finding.hint:
            lines.append(f"{'':<23}{finding.hint}")
    if result.live:
        from gitmem.agents.live import report  # noqa: PLC0415

        lines += ["", *report.view(result.live)]
    return "\n".join(lines)


DOCTOR = Operation("doctor", check_installation_health, view, WRITE, "--fix", tool="doctor")
