"""Programs that a repository's own files and configuration name: each leaves a mark when it runs.

trap = make_trap(repo, folder)
provocation = TRAPS[0](trap)      # the words of a git command that would run the program
...
assert not trap.sprung()
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.support.repos import RepoBuilder


@dataclass
class Trap:
    """A repository with a program that leaves a file behind when it runs."""

    repo: RepoBuilder
    program: Path
    mark: Path

    def sprung(self) -> bool:
        there = self.mark.exists()
        self.mark.unlink(missing_ok=True)
        return there

    def stale(self) -> None:
        """Make git compare contents: the index no longer knows the file's time stamp."""
        (self.repo.path / "a.txt").write_text("A\n")


def make_trap(repo: RepoBuilder, folder: Path) -> Trap:
    """A repository, and the program that is to run, which lies in the folder."""
    program, mark = folder / "canary", folder / "sang"
    program.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    program.chmod(0o755)
    return Trap(repo, program, mark)


def set_fsmonitor(trap: Trap) -> tuple[str, ...]:
    trap.repo.git("config", "core.fsmonitor", str(trap.program))
    return ("status",)


def set_hooks(trap: Trap) -> tuple[str, ...]:
    hooks = trap.repo.path / ".git" / "evil"
    hooks.mkdir()
    names = ["post-index-change", "reference-transaction", "post-checkout", "pre-auto-gc"]
    for name in names:
        (hooks / name).symlink_to(trap.program)
    trap.repo.git("config", "core.hooksPath", str(hooks))
    trap.stale()
    trap.repo.git("update-index", "-q", "--refresh", check=False)
    return ("update-ref", "refs/heads/x", "HEAD")


def set_default_hook(trap: Trap) -> tuple[str, ...]:
    hook = trap.repo.path / ".git" / "hooks" / "post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.symlink_to(trap.program)
    return ("add", "-A")


def set_external_diff(trap: Trap) -> tuple[str, ...]:
    trap.repo.git("config", "diff.external", str(trap.program))
    trap.stale()
    return ("diff",)


def set_textconv(trap: Trap) -> tuple[str, ...]:
    trap.repo.write({".gitattributes": "*.txt diff=evil\n"})
    trap.repo.git("config", "diff.evil.textconv", str(trap.program))
    trap.stale()
    return ("log", "-p")


def set_diff_command(trap: Trap) -> tuple[str, ...]:
    trap.repo.write({".gitattributes": "*.txt diff=evil\n"})
    trap.repo.git("config", "diff.evil.command", str(trap.program))
    trap.stale()
    return ("diff",)


def set_signature(trap: Trap) -> tuple[str, ...]:
    signed = trap.repo.git("cat-file", "commit", "HEAD").replace(
        "\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n", 1
    )
    sha = trap.repo.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=signed.encode())
    trap.repo.git("reset", "-q", "--soft", sha)
    trap.repo.git("config", "gpg.program", str(trap.program))
    trap.repo.git("config", "log.showSignature", "true")
    return ("log",)


def set_clean_filter(trap: Trap) -> tuple[str, ...]:
    trap.repo.write({".gitattributes": "*.txt filter=evil\n"})
    trap.repo.git("config", "filter.evil.clean", str(trap.program))
    trap.stale()
    return ("status",)


def set_odd_filter(trap: Trap) -> tuple[str, ...]:
    trap.repo.write({".gitattributes": "*.txt filter=e=v.il\n"})
    trap.repo.git("config", "filter.e=v.il.clean", str(trap.program))
    trap.repo.git("config", "filter.e=v.il.required", "true")
    trap.stale()
    return ("status",)


def set_process_filter(trap: Trap) -> tuple[str, ...]:
    trap.repo.write({".gitattributes": "*.txt filter=evil\n"})
    trap.repo.git("config", "filter.evil.process", str(trap.program))
    trap.stale()
    return ("status",)


def set_included_filter(trap: Trap) -> tuple[str, ...]:
    trap.repo.write({".gitattributes": "*.txt filter=evil\n"})
    extra = trap.repo.path / ".git" / "more"
    extra.write_text(f'[filter "evil"]\n\tclean = {trap.program}\n')
    trap.repo.git("config", "include.path", "more")
    trap.stale()
    return ("status",)


def set_huge_configuration(trap: Trap) -> tuple[str, ...]:
    """A file too large for the hand reader must not hide its filters."""
    trap.repo.write({".gitattributes": "*.txt filter=evil\n"})
    config = trap.repo.path / ".git" / "config"
    lines = f'[filter "evil"]\n\tclean = {trap.program}\n' + "# padding\n" * 150_000
    config.write_text(config.read_text() + lines)
    trap.stale()
    return ("status",)


def set_submodule(trap: Trap) -> tuple[str, ...]:
    """A submodule's configuration is the repository's as well."""
    inner = RepoBuilder(trap.repo.path / "inner", home=trap.repo.home)
    inner.commit("Inside", {"x": ""})
    trap.repo.git("add", "inner")
    inner.git("config", "core.fsmonitor", str(trap.program))
    return ("status",)


def set_lazy_fetch(trap: Trap) -> tuple[str, ...]:
    """A missing object makes git fetch, through the program that core.sshCommand names."""
    trap.repo.git("config", "core.repositoryFormatVersion", "1")
    trap.repo.git("config", "extensions.partialClone", "origin")
    trap.repo.git("remote", "add", "origin", "ssh://localhost.invalid/x")
    trap.repo.git("config", "remote.origin.promisor", "true")
    trap.repo.git("config", "core.sshCommand", f"touch {trap.mark}; false")
    blob = trap.repo.git("rev-parse", "HEAD~1:src/b.txt")
    (trap.repo.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    return ("log", "-p")


TRAPS = [
    set_fsmonitor,
    set_hooks,
    set_default_hook,
    set_external_diff,
    set_textconv,
    set_diff_command,
    set_signature,
    set_clean_filter,
    set_odd_filter,
    set_process_filter,
    set_included_filter,
    set_huge_configuration,
    set_submodule,
    set_lazy_fetch,
]
