"""Completing the id of a resource or the argument of a prompt.

Best effort: outside a repository or without a store nothing is suggested.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from mcp_types import Completion, CompletionArgument, PromptReference, ResourceTemplateReference

from gitmem.app import App
from gitmem.errors import GitmemError, InvalidInput, NotFound
from gitmem.git import branch_contents
from gitmem.mcp.tools import prompts
from gitmem.mcp.tools.resources import MEMORY, RESOURCES, SKILL
from gitmem.model import ids
from gitmem.store.code import indexed_files, symbols
from gitmem.store.memory import short_ids, store_counts
from gitmem.text.fence import escape_data_for_model

MOST = 20
# Letters of a name that are needed to suggest names.
_LEAST = 2
Reference = PromptReference | ResourceTemplateReference
NOTHING = Completion(values=[], has_more=False)


def check_completion_reference(reference: Reference, argument: CompletionArgument) -> None:
    """Raise NotFound for an unknown prompt or resource, InvalidInput for an unknown argument."""
    if isinstance(reference, PromptReference):
        argument_name = prompts.prompt_argument_name(reference.name)
        if argument.name != argument_name:
            hint = f"It takes {argument_name!r}." if argument_name else "It takes none."
            raise InvalidInput(
                f"The prompt {reference.name!r} has no argument {argument.name[:60]!r}.", hint
            )
    elif not reference.uri.startswith((MEMORY, SKILL)) and all(
        str(resource.uri) != reference.uri for resource in RESOURCES
    ):
        raise NotFound(f"There is no resource {reference.uri[:80]!r}.", f"Use {MEMORY}{{id}}.")


def complete_argument(app: App, reference: Reference, argument: CompletionArgument) -> Completion:
    """At most 20 ids, names or words that complete an argument of a prompt or resource."""
    if isinstance(reference, ResourceTemplateReference):
        find: Callable[[App, str], list[str]] | None = None
        if reference.uri.startswith(MEMORY) and argument.name == "id":
            find = _ids
        elif reference.uri.startswith(SKILL) and argument.name == "slug":
            find = _skills
    else:
        find = _BY_ARGUMENT.get(argument.name)
    if find is not None:
        with suppress(GitmemError):
            matches = find(app, argument.value)
            return Completion(
                values=escape_data_for_model(matches[:MOST]), has_more=len(matches) > MOST
            )
    return NOTHING


def _ids(app: App, value: str) -> list[str]:
    prefix = ids.normalise_id_prefix(value) if value else ""
    if value and not prefix:
        return []
    if prefix:
        return short_ids.memory_ids_with_prefix(app.store, prefix, MOST + 1)
    # Without a beginning the newest ids are the likeliest.
    return short_ids.newest_memory_ids(app.store, MOST + 1)


def _names(app: App, value: str) -> list[str]:
    if len(value) < _LEAST:
        return []
    matches = symbols.definitions_with_prefix(app.store, app.worktree, value, MOST + 1)
    return list(dict.fromkeys(symbol.name for symbol in matches))


def _paths_and_names(app: App, value: str) -> list[str]:
    if not value:
        return []
    paths = indexed_files.paths_with_prefix(app.store, app.worktree, value, MOST + 1)
    return paths if len(paths) > MOST else [*paths, *_names(app, value)]


def _skills(app: App, value: str) -> list[str]:
    from gitmem.capture.skills import skill_store  # noqa: PLC0415 - few ask for one

    slugs = (item.skill.slug for item in skill_store.visible_skills(app))
    return sorted({slug for slug in slugs if slug.startswith(value.lower())})


# The completion of prompts' arguments, by the argument's name.
_BY_ARGUMENT: dict[str, Callable[[App, str], list[str]]] = {
    "topic": lambda app, value: store_counts.tags_with_prefix(app.store, value, MOST + 1),
    "query": _names,
    "what": _paths_and_names,
    "base": lambda app, value: branch_contents.local_branch_names(app.layout.cwd, MOST + 1, value),
    "skill": _skills,
}
