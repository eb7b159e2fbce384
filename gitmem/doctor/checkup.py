"""All checks of a repository in order: settings, store, index, hooks, the global store."""

import os
from collections.abc import Iterator

from gitmem.app import App
from gitmem.branches import subproject_files
from gitmem.branches.subproject_files import Subproject
from gitmem.doctor import copy_checks, hook_checks, index_checks, store_checks
from gitmem.doctor.finding import NOTE, OK, CheckFinding, run_check_guarded
from gitmem.errors import ForeignFile, GitmemError, NotARepository
from gitmem.git import identity as git_identity

_JOIN = (
    "To read the original's memory: --project upstream. "
    "To have one memory with it: git config gitmem.remote upstream."
)


def run_all_checks(app: App, fix: bool) -> list[CheckFinding]:
    """Run all checks of `gitmem doctor`, repairing what can be if ``fix``; returns the findings."""
    findings = [
        *run_check_guarded("repository", app, _repository),
        *run_check_guarded("settings", app, _settings),
    ]
    tracked = _is_tracked(app)
    if _has_store(app) and not tracked:
        findings += run_check_guarded(
            "store", app, lambda app: store_checks.check_project_store(app, fix)
        )
        findings += run_check_guarded("search", app, lambda app: index_checks.check_index(app, fix))
        findings += run_check_guarded(
            "hooks", app, lambda app: hook_checks.check_git_hooks(app, fix)
        )
    if _in_repository(app):
        # Where git tracks the store, any command that the hints advise would be refused.
        copies = run_check_guarded("copies", app, copy_checks.check_store_copies)
        findings += [copy for copy in copies if copy.state == OK or not tracked]
    findings += run_check_guarded("global store", app, store_checks.check_user_store)
    return findings


def _is_tracked(app: App) -> bool:
    """Whether git tracks the store, so that gitmem does not use it."""
    try:
        app.refuse_tracked_store()
    except (GitmemError, OSError) as error:  # the checks themselves report a failing disk
        return isinstance(error, ForeignFile)
    return False


def _has_store(app: App) -> bool:
    """Whether there is a repository and a store in it."""
    try:
        return app.has_store
    except (GitmemError, OSError):  # reported by the first check, which it stops
        return False


def _in_repository(app: App) -> bool:
    try:
        return bool(app.layout)
    except (GitmemError, OSError):
        return False


def _repository(app: App) -> Iterator[CheckFinding]:
    try:
        app.refuse_tracked_store()
        identity = app.project_identity
    except NotARepository as error:
        yield CheckFinding("repository", NOTE, error.message, error.hint)
        return
    text = f"{identity.name}: {identity.key} (from the {identity.source})"
    original = git_identity.upstream_project_key(app.layout, identity)
    if original:
        text += f", a fork of {original}, from whose memory its own is kept apart"
    yield CheckFinding("repository", OK, text, _JOIN if original else "")
    yield from check_subprojects(app)
    if not app.has_store:
        yield CheckFinding("store", NOTE, "There is no store here yet.", "Run `gitmem init`.")


def _settings(app: App) -> Iterator[CheckFinding]:
    for warning in app.settings.warnings:
        yield CheckFinding("settings", NOTE, warning, "")
    for note in app.settings.notes:
        yield CheckFinding(
            "settings", NOTE, note, "It is in force; the manual uses gitmem's own name."
        )
    for text, delete in app.settings.gone:
        yield CheckFinding("settings", NOTE, text, delete)
    if not (app.settings.warnings or app.settings.notes or app.settings.gone):
        yield CheckFinding("settings", OK, "all settings are valid", "")


_AREA = "sub-projects"


def check_subprojects(app: App) -> Iterator[CheckFinding]:
    """Yield a finding on the declared sub-projects (folders), and one for each fault in them."""
    subprojects = subproject_files.declared_subprojects(app)
    if subprojects:
        listed = ", ".join(f"{subproject.name} ({subproject.folder})" for subproject in subprojects)
        yield CheckFinding(_AREA, OK, f"{len(subprojects)} declared: {listed}", "")
    by_name: dict[str, list[str]] = {}
    for subproject in subprojects:
        by_name.setdefault(subproject.name, []).append(subproject.folder)
        if wrong := _folder(app, subproject):
            yield CheckFinding(_AREA, NOTE, *wrong)
    for name, folders in by_name.items():
        if len(folders) > 1:
            yield CheckFinding(
                _AREA,
                NOTE,
                f"{' and '.join(folders)} are both called {name}, and so have one memory.",
                "Give each a name of its own in its .gitmem.toml.",
            )
    declared = set(by_name)
    gone = [name for name in subproject_files.memory_subproject_names(app) if name not in declared]
    if gone:
        yield CheckFinding(
            _AREA,
            NOTE,
            f"memories belong to {', '.join(gone)}, which nothing declares any more",
            "They are kept, and found from the root and with --project; declare a folder of that "
            "name to see them in it.",
        )


def _folder(app: App, subproject: Subproject) -> tuple[str, str] | None:
    """What is wrong with the folder of a sub-project, and the hint; None: nothing."""
    root = app.layout.worktree or ""
    place = os.path.join(root, subproject.folder)
    change = (
        f"Correct {subproject.source}." if subproject.source == subproject_files.SETTING else ""
    )
    if not os.path.isdir(place):
        return f"{subproject.folder}, the folder of {subproject.name}, is not there.", change
    real = os.path.realpath(place)
    if real != os.path.join(root, *subproject.folder.split("/")):
        return (
            f"{subproject.folder}, the folder of {subproject.name}, leads elsewhere: to {real}.",
            change,
        )
    if os.path.lexists(os.path.join(place, ".git")):
        return (
            f"{subproject.folder} is a repository of its own, with a memory of its own.",
            f"Run `gitmem init` in it, and take {subproject.name} out of {subproject.source}.",
        )
    return None
