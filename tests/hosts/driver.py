"""How a host is driven: what is written for it, what starts it, what its model is made to do.

One file beside this one holds ``DRIVER = Driver(...)`` for each host; ``drivers`` lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.hosts.model_server import ModelServer, Request
from tests.hosts.tap import HookCall, calls
from tests.hosts.wire_formats import Step
from tests.hosts.workplace import PATIENCE, PROMPT, Ended, Workplace


def _nothing(_workplace: Workplace) -> None:
    return None


@dataclass(frozen=True)
class Driver:
    """One host.

    ``packages`` are what npm installs, pinned; ``starts`` the words that start it, ``{modules}``
    being its ``node_modules``. ``configure`` writes its own settings with the model's place,
    ``approve`` what its user would approve once; ``asks`` is false where nothing has to be.
    ``steps`` is what its model does: read, edit, run a command that fails, call `recall`. ``tool``
    is what the first request says of that tool: its name, or where tools are deferred what stands
    for them. ``headless`` are the words of a run without a screen for a prompt. ``compacting``
    gives the steps and the runs in which its context is compacted once and work goes on, None
    where nothing makes it do that. ``tells_at_prompts`` is for a host that hears no hook after a
    tool: what is said there comes with the next prompt. ``ends`` is false where a run without a
    screen fires nothing at its end. ``heard_everywhere``: its hooks are heard in a worktree that
    was never set up; ``reads_below``: what stands in a project serves its sub-folders.
    """

    agent: str
    packages: tuple[str, ...]
    starts: tuple[str, ...]
    configure: Callable[[Workplace, str], None]
    environment: Callable[[str], dict[str, str]]
    steps: Callable[[Workplace], list[Step]]
    tool: str
    headless: Callable[[str], list[str]]
    approve: Callable[[Workplace], None] = _nothing
    asks: bool = True
    compacting: Callable[[Workplace], tuple[list[Step], list[list[str]]]] | None = None
    tells_at_prompts: bool = False
    ends: bool = True
    heard_everywhere: bool = False
    reads_below: bool = True
    continues: tuple[str, ...] = ("--continue",)

    def words(self, modules: Path) -> list[str]:
        """The words that start it from where it is installed."""
        return [start.replace("{modules}", str(modules)) for start in self.starts]

    def is_installed(self, root: Path) -> bool:
        """Whether what starts it is there."""
        modules = root / self.agent / "node_modules"
        return all(
            Path(start.replace("{modules}", str(modules))).exists()
            for start in self.starts
            if start.startswith("{modules}")
        )


@dataclass(frozen=True)
class Captured:
    """What came of one or more runs of a host: requests to the model, calls of hooks, endings."""

    requests: list[Request]
    calls: list[HookCall]
    runs: list[Ended]

    @property
    def steps(self) -> list[Request]:
        """The requests that the script answered, in order."""
        return [request for request in self.requests if request.step >= 0]

    @property
    def events(self) -> list[str]:
        """The events at which a hook was called."""
        return [call.event for call in self.calls]


def prepared(driver: Driver, folder: Path, root: Path, *, approved: bool = True) -> Workplace:
    """A workplace wired for the host, with what its user approves; no model serves yet."""
    folder.mkdir(parents=True, exist_ok=True)
    workplace = Workplace(folder, root / driver.agent / "node_modules")
    workplace.remember()
    driver.configure(workplace, "http://127.0.0.1:9")
    workplace.setup(driver.agent)
    if approved:
        driver.approve(workplace)
    return workplace


def run(
    driver: Driver,
    workplace: Workplace,
    steps: Sequence[Step],
    runs: Sequence[Sequence[str]] = (),
) -> Captured:
    """Run the host with a model that takes these steps; without ``runs`` with the one prompt."""
    ended = []
    known = len(calls(workplace.folder))
    with ModelServer(steps) as model:
        driver.configure(workplace, model.url)
        start = driver.words(workplace.modules)
        for words in runs or [driver.headless(PROMPT)]:
            more = driver.environment(model.url)
            ended.append(workplace.run([*start, *words], more, seconds=PATIENCE))
        return Captured(model.requests, calls(workplace.folder)[known:], ended)
