"""A home and a project in one folder, and setup at work there without a repository."""

from __future__ import annotations

from pathlib import Path

from gitmem.agents.hosts.host_paths import PathTemplateFolders
from gitmem.agents.hosts.table import BY_NAME
from gitmem.agents.wiring import apply, host_targets, plan, wiring_status
from gitmem.agents.wiring.apply import SetupFolders
from gitmem.agents.wiring.host_targets import SetupTarget
from gitmem.agents.wiring.impostor_search import OwnEntryIdentity
from gitmem.agents.wiring.plan import FileChange
from gitmem.agents.wiring.wiring_status import HostStatus

PROGRAM = ("/opt/git mem's/bin/gitmem",)


class Machine:
    """A home and a project below one folder, and what setup does there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home, self.project = folder / "home", folder / "project"
        for each in (self.home / "data", self.project / ".gitmem"):
            each.mkdir(parents=True)
        self.folders = SetupFolders(
            str(self.project),
            str(self.project / ".gitmem"),
            str(self.home / "data" / "gitmem"),
            is_known=True,
        )
        self.words: tuple[str, ...] = PROGRAM
        self.bases = PathTemplateFolders("linux", str(self.home), str(self.project), {})

    @classmethod
    def with_program(cls, folder: Path) -> Machine:
        """A machine where the program that setup writes down is there and can be run."""
        made = cls(folder)
        program = folder / "bin" / "gitmem"
        program.parent.mkdir()
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        made.words = (str(program),)
        return made

    def judged(self, name: str) -> HostStatus:
        """How setup of one host stands."""
        return wiring_status.host_status(self.known, BY_NAME[name], self.folders.read_file_snapshot)

    def targets(self, names: list[str], scope: str = "") -> list[SetupTarget]:
        hosts = [BY_NAME[name] for name in names]
        return host_targets.setup_targets(self.bases, hosts, self.words, scope)[0]

    @property
    def known(self) -> OwnEntryIdentity:
        """What gitmem knows of itself here."""
        return OwnEntryIdentity(
            self.bases, (self.words, ("gitmem",)), self.folders.trusted_setup_records_by_scope()
        )

    def setup(
        self, names: list[str], scope: str = "", *, replace: bool = False
    ) -> list[FileChange]:
        targets = self.targets(names, scope)
        return apply.apply_changes(
            self.folders,
            lambda: plan.plan_setup(
                self.known,
                targets,
                self.folders.setup_records_by_scope(),
                self.folders.read_file_snapshot,
                replace=replace,
            ),
        )

    def remove(self, names: list[str]) -> list[FileChange]:
        return apply.apply_changes(
            self.folders,
            lambda: plan.plan_removal(
                self.known,
                names,
                self.folders.setup_records_by_scope(),
                [],
                self.folders.read_file_snapshot,
            ),
        )

    def tree(self) -> dict[str, bytes | None]:
        found: dict[str, bytes | None] = {}
        for path in self.folder.rglob("*"):
            found[str(path.relative_to(self.folder))] = (
                path.read_bytes() if path.is_file() else None
            )
        return found
