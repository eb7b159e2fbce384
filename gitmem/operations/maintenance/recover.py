"""Recovering a damaged store: a new store is made from its readable parts and its backups."""

import os

from gitmem.app import App
from gitmem.capture.importer import ImportProblem
from gitmem.capture.provenance import require_person
from gitmem.errors import InvalidInput
from gitmem.git import root_note
from gitmem.maintenance import recovery
from gitmem.model.frozen import copy_fields, dataclass
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import DELETE, Annotated, Arg, Operation
from gitmem.store.memory import memories
from gitmem.store.memory.filters import MemoryFilter
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity

SHOWN = 50
_OTHER = "Your own store, of global memories: `gitmem recover --scope global`."


@dataclass(frozen=True, slots=True)
class RecoverRequest:
    """Arguments of `gitmem recover`, which makes a new store from a damaged one.

    ``source`` is a file of `gitmem export` to read too, ``from_ref`` a git remote whose shared
    memories are read (both may be empty); ``scope`` is project or global; ``trust``: the file is
    the user's own.
    """

    source: Annotated[
        str, Arg("Also use this file, which `gitmem export` wrote", flag="--from", metavar="FILE")
    ] = ""
    from_ref: Annotated[
        str,
        Arg(
            "Read what is shared by this remote of git, into a new store if there is none",
            metavar="REMOTE",
        ),
    ] = ""
    scope: shared.WhichStore = "project"
    trust: shared.OwnFile = False
    dry_run: shared.DryRun = False


@dataclass(frozen=True, slots=True)
class RecoverResult:
    """What the store holds after it was recovered from damage.

    ``kept`` counts memories from the store itself, ``restored`` those from other files, by file;
    ``lost`` are the ids of memories that no file contains. ``whole``: the store was not damaged,
    and stays as it is except for what --from adds. ``aside`` is where the damaged file is now,
    ``scope`` project or global. ``foreign`` counts memories from files that this store did not
    seal. ``replaced`` are memories that were here in another version, which stays in their history.
    ``problems`` are lines of the file of --from that were refused. ``strange`` files were left out,
    as another store made them.
    """

    whole: bool
    kept: int
    restored: tuple[recovery.RecoveredFile, ...]
    lost: tuple[str, ...]
    aside: str
    dry_run: bool
    scope: str
    foreign: tuple[recovery.RecoveredFile, ...]
    replaced: tuple[recovery.ReplacedMemory, ...]
    problems: tuple[ImportProblem, ...]
    strange: tuple[str, ...]


def recover_store(app: App, request: RecoverRequest) -> RecoverResult:
    """Make a new store from what can be read of a damaged one and its backups.

    Of each memory it takes the newest undamaged version, with history, links and sessions; what was
    purged stays purged. It works even if the store does not open or was lost. The damaged file is
    moved into .gitmem/backups, never deleted. Agents may only use `--dry-run`. The index is empty
    afterwards: run `gitmem index`. A file given by --from is trusted as far as this store sealed it
    (`gitmem export` does); the rest is foreign, as with `gitmem import`, and changes nothing that
    you trust. --scope global repairs the store of your global memories, whose damaged file is kept
    beside it. --from-ref reads the memories that devices share by a remote, also into a store that
    it makes; they are foreign, or with --trust accepted as if by `gitmem trust --remote`.
    """
    if not request.dry_run:
        require_person(app, "replace the store")
    if request.from_ref:
        return _from_ref(app, request)
    export = os.path.abspath(os.path.join(app.start, request.source)) if request.source else ""
    done = recovery.recover_store(
        app, export, scope=request.scope, trust_recovered=request.trust, dry_run=request.dry_run
    )
    return copy_fields(RecoverResult, done, dry_run=request.dry_run, scope=request.scope)


def _from_ref(app: App, request: RecoverRequest) -> RecoverResult:
    from gitmem.sync import acceptance, link  # noqa: PLC0415 - once in the life of a clone

    if request.dry_run or request.source or request.scope != "project":
        raise InvalidInput(
            "--from-ref cannot be combined with --from, --scope or --dry-run.",
            "Give --from-ref alone, or with --trust. `git ls-remote REMOTE 'refs/gitmem/*'` lists "
            "what is shared there.",
        )
    if not app.has_store:
        app.refuse_tracked_store()
        if not app.layout.plain:
            root_note.save_main_worktree_location(app.layout)
        app.create_store()
    before = memories.count_filtered_memories(app.store, MemoryFilter(states=()))
    remote = link.find_sync_remote(app, request.from_ref)
    problems = acceptance.fetch_records_as_foreign(app, remote)
    place = f"refs/gitmem of {remote.name}"
    if request.trust:
        believed = acceptance.list_remote_devices(app, remote.name)
        acceptance.accept_devices(app, remote, [each.device for each in believed], accepted=True)
        names = [f"{one_line(each.author, 40)} {each.device[:8]}".strip() for each in believed[:20]]
        more = f" and {len(believed) - 20} more" if len(believed) > 20 else ""
        place += f" (devices believed: {', '.join(names) or 'none'}{more})"
    count = memories.count_filtered_memories(app.store, MemoryFilter(states=())) - before
    read = (recovery.RecoveredFile(place, count),)
    return RecoverResult(
        whole=True,
        kept=before,
        restored=read if request.trust else (),
        lost=(),
        aside="",
        dry_run=False,
        scope=request.scope,
        foreign=() if request.trust else read,
        replaced=(),
        problems=tuple(ImportProblem(0, f"{each.where}: {each.error}") for each in problems),
        strange=(),
    )


def view(result: RecoverResult) -> str:
    """Return the text to print: how many memories were kept, restored and lost."""
    would = "would be " if result.dry_run else ""
    if result.whole:
        line = f"The store is undamaged: {quantity(result.kept, 'memory')}, nothing to recover."
        line = f"{line} {_OTHER}" if result.scope == "project" else line
        return "\n".join([line, *_restored_lines(result, would)])
    lines = [f"{quantity(result.kept, 'memory')} {would}kept", *_restored_lines(result, would)]
    lines.append(f"{len(result.lost)} {would}lost{':' if result.lost else ''}")
    lines += [f"  {id}" for id in result.lost[:SHOWN]]
    if result.aside:
        lines.append(f"the damaged file is in {result.aside}")
    if not result.dry_run and result.scope == "project":
        lines.append("Run `gitmem index` to rebuild the index.")
    return "\n".join(lines)


def _restored_lines(result: RecoverResult, would: str) -> list[str]:
    """What came from other files, what it replaced, and what was refused, a line each."""
    lines = [f"{part.memories} {would}restored from {part.path}" for part in result.restored]
    lines += [
        f"{item.memories} {would}imported as foreign from {item.path}: this store did not seal "
        "them (`gitmem trust ID` accepts one)"
        for item in result.foreign
    ]
    lines += [
        f"{item.id} {would}replaced: version {item.version} ({item.headline}) by version "
        f"{item.new_version} ({item.new_headline}); `gitmem history {item.id}` keeps both"
        for item in result.replaced
    ]
    lines += [
        f"line {problem.line}: {problem.error}" if problem.line else f"refused: {problem.error}"
        for problem in result.problems
    ]
    lines += [f"left out: {path}, which another store made" for path in result.strange]
    return lines


RECOVER = Operation("recover", recover_store, view, DELETE, "--dry-run")
