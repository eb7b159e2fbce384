"""Importing skills from SKILL.md folders, and exporting them as such."""

from gitmem.app import App
from gitmem.capture.skills import skill_export, skill_import
from gitmem.capture.skills.skill_import import SkillOutcome
from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation, Texts, positional_arg
from gitmem.text.fence import one_line

_WIDTH = 160


@dataclass(frozen=True, slots=True)
class ImportSkillsRequest:
    """Arguments of `gitmem skill import`: SKILL.md files, or folders that have them (``path``)."""

    path: Annotated[
        Texts,
        positional_arg("A SKILL.md, its folder, or a folder of such folders", path_kind="path"),
    ]
    dry_run: shared.DryRun = False


@dataclass(frozen=True, slots=True)
class ExportSkillsRequest:
    """Arguments of `gitmem skill export`: names or ids of skills (``slug``, empty: all).

    ``to`` is the folder in which each gets a folder; it must be given. ``force`` replaces a
    SKILL.md with other contents.
    """

    slug: Annotated[
        tuple[str, ...], positional_arg("Names or ids (default: all)", metavar="NAME")
    ] = ()
    to: Annotated[
        str, Arg("The folder in which each gets its own folder: .agents/skills", path_kind="path")
    ] = ""
    force: Annotated[
        bool, Arg("Replace a SKILL.md with other contents; it is kept as a copy", short="-f")
    ] = False
    dry_run: shared.DryRun = False


@dataclass(frozen=True, slots=True)
class SkillFilesResult:
    """What was done with each skill; after an export, their ``resources`` are files now gone."""

    skills: tuple[SkillOutcome, ...]
    exported: bool
    dry_run: bool


def import_skills(app: App, request: ImportSkillsRequest) -> SkillFilesResult:
    """Import SKILL.md folders of the repository.

    Either all of them are imported or none. Files beside a SKILL.md are listed, and never run. An
    imported skill counts as said by the repository: it is shown as data until `gitmem trust`
    accepts it. Run again, it updates what changed in the files; those skills must then be accepted
    again.
    """
    if not request.path:
        raise InvalidInput("No folder is given.", "Give one, such as .agents/skills.")
    done = skill_import.import_skills(app, request.path, dry_run=request.dry_run)
    return SkillFilesResult(tuple(done), exported=False, dry_run=request.dry_run)


def export_skills(app: App, request: ExportSkillsRequest) -> SkillFilesResult:
    """Write skills as SKILL.md folders, which agents read.

    An imported skill is written byte for byte as it was, except for later changes, with the files
    beside it. A SKILL.md with other contents is not touched unless --force is given, which keeps it
    as a copy.
    """
    if not request.to.strip():
        raise InvalidInput(
            "No folder is given.", "Give one with --to, such as --to .agents/skills."
        )
    done = skill_export.export_skills(
        app, request.slug, request.to.rstrip("/"), force=request.force, dry_run=request.dry_run
    )
    return SkillFilesResult(tuple(done), exported=True, dry_run=request.dry_run)


def view(result: SkillFilesResult) -> str:
    """Return the text to print: a line for each skill, and notes below it."""
    lines = []
    for skill in result.skills:
        lines.append(f"{skill.action}  {skill.slug}  {one_line(skill.file, _WIDTH)}")
        if skill.resources:
            label = "gone, so not written" if result.exported else "beside it, not run"
            lines.append(f"    {label}: {one_line(', '.join(skill.resources), _WIDTH)}")
        if skill.lapsed:
            lines.append(f"    changed since it was accepted: gitmem trust {skill.id[:12]}")
        if skill.redacted:
            lines.append(f"    secrets redacted: {', '.join(sorted(set(skill.redacted)))}")
    return "\n".join(lines) or "There are no skills yet."


IMPORT = Operation("skill import", import_skills, view, WRITE, ".agents/skills")
EXPORT = Operation("skill export", export_skills, view, WRITE, "release-notes --to .agents/skills")
