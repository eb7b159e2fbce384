"""A home and a project in one folder, and setup at work there without a repository."""

from __future__ import annotations

from pathlib import Path

from gitmem.hooks.agents import carry_out, plan, wanted
from gitmem.hooks.agents.carry_out import Ground
from gitmem.hooks.agents.hosts import BY_NAME
from gitmem.hooks.agents.places import Bases
from gitmem.hooks.agents.plan import Step
from gitmem.hooks.agents.wanted import Target

PROGRAM = ("/opt/git mem's/bin/gitmem",)


class Machine:
    """A home and a project below one folder, and what setup does there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home, self.project = folder / "home", folder / "project"
        for each in (self.home / "data", self.project / ".gitmem"):
            each.mkdir(parents=True)
        self.ground = Ground(
            str(self.project), str(self.project / ".gitmem"), str(self.home / "data" / "gitmem")
        )
        self.words: tuple[str, ...] = PROGRAM
        self.bases = Bases("linux", str(self.home), str(self.project), {})

    def targets(self, names: list[str], scope: str = "") -> list[Target]:
        hosts = [BY_NAME[name] for name in names]
        return wanted.targets(self.bases, hosts, self.words, scope)[0]

    def setup(self, names: list[str], scope: str = "") -> list[Step]:
        targets = self.targets(names, scope)
        return carry_out.run(
            self.ground, lambda: plan.setup(targets, self.ground.records(), self.ground.look)
        )

    def remove(self, names: list[str]) -> list[Step]:
        return carry_out.run(
            self.ground, lambda: plan.remove(names, self.ground.records(), [], self.ground.look)
        )

    def tree(self) -> dict[str, bytes | None]:
        found: dict[str, bytes | None] = {}
        for path in self.folder.rglob("*"):
            found[str(path.relative_to(self.folder))] = (
                path.read_bytes() if path.is_file() else None
            )
        return found
