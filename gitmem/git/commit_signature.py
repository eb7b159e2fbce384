"""Signing the commits of a bare repository of gitmem's own, and checking who signed them.

Which key signs, and in which form, is what git knows in the user's repository. The programs that
sign and check, and the keys that are known, come from the user's own settings only: those of a
stranger's repository might name others.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from gitmem.errors import Conflict, GitmemError
from gitmem.git.process import last_error_line
from gitmem.git.runner import call_git, run_git
from gitmem.model.frozen import dataclass

VERIFIED, UNVERIFIED, BAD = "verified", "unverified", "bad"
# What git's %G? says: X and Y are good but expired, R is good by a revoked key.
_STATES = {"G": VERIFIED, "B": BAD, "X": BAD, "Y": BAD, "R": BAD}
_KNOWN_KEYS = "gpg.ssh.allowedSignersFile"
_NAMES = "^(commit\\.gpgsign|gpg\\.format|user\\.signingkey|user\\.email)$"
_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class CommitSignature:
    """Whether a commit's signature is valid, and the fingerprint of its ``key``.

    ``state`` is "verified" (by a key that the user's git knows), "unverified" or "bad". ``key`` is
    empty unless the signature fits the commit.
    """

    state: str = UNVERIFIED
    key: str = ""


def signing_settings(cwd: str) -> Mapping[str, str]:
    """The user's git settings for signing commits here, as key in lower case -> value.

    Of commit.gpgsign, gpg.format, user.signingkey and user.email those that are set.
    """
    done = call_git(["config", "-z", "--get-regexp", _NAMES], cwd=cwd)
    entries = os.fsdecode(done.out).split("\0")
    return {name: value for name, _, value in (entry.partition("\n") for entry in entries)}


def is_commit_signing_enabled(settings: Mapping[str, str]) -> bool:
    """Whether git's settings (from ``signing_settings``) have the user's commits signed."""
    return settings.get("commit.gpgsign", "").lower() in ("true", "yes", "on", "1")


def is_commit_signed(repository_folder: str, commit: str) -> bool:
    """Whether a commit in a repository has any signature, valid or not."""
    header = run_git(["cat-file", "commit", commit], cwd=repository_folder).partition(b"\n\n")[0]
    return b"\ngpgsig" in header


def add_signed_commit(
    repository_folder: str, commit: str, settings: Mapping[str, str], *, author: str, email: str
) -> str:
    """Make a commit signed by the user on top of ``commit``, with the same files; returns its id.

    Its signature vouches for all commits below. ``settings`` come from ``signing_settings``. Raises
    Conflict if git cannot sign.
    """
    key = settings.get("user.signingkey") or settings.get("user.email", "")
    config = [("gpg.format", settings.get("gpg.format", "openpgp")), ("user.signingKey", key)]
    for role in ("author", "committer"):
        config += [(f"{role}.name", author), (f"{role}.email", email)]
    args = ["commit-tree", "-S", "-p", commit, "-m", "gitmem: signed", f"{commit}^{{tree}}"]
    done = call_git(args, cwd=repository_folder, config=config, timeout=_SECONDS)
    if done.status:
        raise Conflict(
            f"What is shared could not be signed: "
            f"{last_error_line(done.err) or 'git gave no reason'}.",
            "Check user.signingKey and gpg.format of git, or share it unsigned: gitmem config "
            "sync.sign no",
        )
    return os.fsdecode(done.out).strip()


def check_signatures(repository_folder: str, commits: Sequence[str]) -> dict[str, CommitSignature]:
    """Commit id -> CommitSignature, without commits that are unsigned or not here."""
    signed = []
    for commit in dict.fromkeys(commits):
        try:
            signed += [commit] if is_commit_signed(repository_folder, commit) else []
        except GitmemError:
            continue  # it is not here, which reading it tells
    if not signed:
        return {}
    config = []
    if not call_git(["config", "--get", _KNOWN_KEYS], cwd=repository_folder).out.strip():
        config.append((_KNOWN_KEYS, os.devnull))  # without any, git checks no signature at all
    args = ["log", "--no-walk=unsorted", "--format=%H%x00%G?%x00%GF", *signed, "--"]
    done = call_git(args, cwd=repository_folder, config=config, timeout=_SECONDS)
    signatures = {}
    for line in done.out.decode("utf-8", "replace").splitlines():
        commit, state, key = (*line.split("\0"), "", "")[:3]
        signatures[commit] = CommitSignature(
            _STATES.get(state, UNVERIFIED), key if state in ("G", "U") else ""
        )
    return signatures
