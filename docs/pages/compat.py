"""The calls of five other systems: what each takes and answers here, and what waits."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container

from docs.pages.markdown import code, table
from gitmem.mcp.compat import tool_names
from gitmem.mcp.compat.answer_template import OptionalFieldTemplate
from gitmem.mcp.compat.emulated_tool import (
    REPOSITORY,
    SYSTEMS,
    ArgumentMapping,
    ArgumentValuePath,
    EmulatedMultiActionTool,
    EmulatedTool,
)

_OPENING = """\
# Calls of five other systems

`gitmem mcp --profile compat` answers the calls of five other systems with the names of their
arguments, the defaults and the fields that their documents show, so that instructions and habits
written for one of them go on working. The fields are in the structured content of an answer; its
text is gitmem's own, fenced as data.

- Names of ours, and those that all tools take, are taken too; camel case counts as snake case. Two
  names for one argument with different values are refused, and so is a value of the wrong type.
- An argument that names a project (`projectPath`, `project_path`, `repo_path` ...) takes a folder,
  or a name or key of `gitmem projects`, and the call works there: in the server's own project with
  its worktrees, a root of the client, or what the user lists in `mcp.projects` (`*`: all). Another
  one is refused, and so is one that nobody has set up, with a list of those there are. Without it
  the call works in the server's own project; what is global belongs to all. A project is a clone:
  two clones of one remote have one name and key, but a store and memories each (`gitmem sync`
  brings them together), and in each of them the name and the key mean that clone.
- Where the other system has a setting for the number of results too, `recall.limit` is the default
  of that argument instead of the number shown here, once it is set.
- What is compared after the search (a threshold, an offset, a priority, globs to leave out) is
  compared with up to 100 results, 1,000 of a list.
- Tags come back in lower case, with dashes for blanks and in order: `Code Review` is `code-review`,
  and found by both.
- A name that cannot be answered rightly yet is not offered; the error says what it waits for.
- A field marked `?` is there only where there is something to say."""


def page() -> str:
    """The whole page."""
    parts = [_OPENING, _counts()]
    for system in SYSTEMS:
        parts += [f"## {system}", "\n".join(_calls(system)), *_waiting(system)]
    return "\n\n".join(parts)


def _counts() -> str:
    rows = [
        (system, str(len(tool_names.tools_of_system(system))), str(len(tool_names.WAITING[system])))
        for system in SYSTEMS
    ]
    return table(("System", "Names offered", "Names that wait"), rows)


def _calls(system: str) -> list[str]:
    """The calls of a system; an argument that means the same in several is described once."""
    calls = [
        call
        for call in {id(call): call for call in tool_names.CALLS.values()}.values()
        if call.system == system
    ]
    choices = [choice for choice in tool_names.CHOICES.values() if choice.system == system]
    inner = [call for choice in choices for call in choice.actions.values()]
    counts = Counter(note for call in (*calls, *inner) for note in set(_notes(call).values()))
    shared = frozenset(note for note, count in counts.items() if count > 1)
    lines = ["- Arguments of several calls:", *(f"  - {note}" for note in sorted(shared))]
    lines = lines if shared else []
    for call in calls:
        lines += _call(" or ".join(map(code, call.names)), call, shared)
    for choice in choices:
        lines += _choice(choice, shared)
    for name, ours in tool_names.SAME.items():
        if name in tool_names.tools_of_system(system):
            lines.append(f"- **{code(name)}**: Our tool `{ours}`, with its own arguments.")
    return lines


def _choice(choice: EmulatedMultiActionTool, shared: Container[str]) -> list[str]:
    by = f"by `{choice.by}`, or by what is given" if choice.by else "by what is given"
    opening = f"- **{code(choice.name)}**: One of {len(choice.actions)} calls, {by}."
    lines = [" ".join(filter(None, (opening, choice.departs)))]
    for action, call in choice.actions.items():
        lines += _call(action, call, shared, indent="  ")
    return lines


def _call(title: str, call: EmulatedTool, shared: Container[str], indent: str = "") -> list[str]:
    """A call as an item of a list, and below it an item for each argument with more to say."""
    fixed = ", ".join(
        f"{name} {json.dumps(value)}"
        for name, value in call.fixed.items()
        if not isinstance(value, ArgumentValuePath)
    )
    does = f"Does `gitmem {call.operation}`{fixed and f' with `{fixed}`'}."
    answers = "Answers the JSON of that command." if call.answers is None else _answers(call)
    notes = _notes(call)
    plain = [_plain(name, to) for name, to in _takes(call).items() if _is_plain(to)]
    plain += [code(name) for name, note in notes.items() if note in shared]
    items = [note for note in notes.values() if note not in shared]
    sentences = [does, answers]
    sentences += [f"Takes {', '.join(plain)}."] if plain else [] if items else ["No arguments."]
    sentences += [f"Departs: {call.departs}"] if call.departs else []
    return [
        f"{indent}- **{title}**: {' '.join(sentences)}",
        *(f"{indent}  - {item}" for item in items),
    ]


def _takes(call: EmulatedTool) -> dict[str, ArgumentMapping]:
    """The arguments of a call by name, those inside of an object as ``object.name``."""
    return dict(call.takes) | {
        f"{name}.{inner}": argument
        for name, to in call.takes.items()
        for inner, argument in to.inside.items()
    }


def _notes(call: EmulatedTool) -> dict[str, str]:
    """The descriptions of the arguments that are not simply one of ours, by name."""
    return {name: _argument(name, to) for name, to in _takes(call).items() if not _is_plain(to)}


def _is_plain(to: ArgumentMapping) -> bool:
    """Whether an argument is one of ours, or the repository, and nothing is to be said of it."""
    return to.field == REPOSITORY or (bool(to.field) and not (to.why or to.choices))


def _plain(name: str, to: ArgumentMapping) -> str:
    """``limit (integer, 10) as limit``; the repository is told at the top of the page."""
    if to.field == REPOSITORY:
        return code(name) + (" (required)" if to.needed else "")
    default = "required" if to.needed else "" if to.default is None else json.dumps(to.default)
    ours = "" if to.field == name else f" as `{to.field}`"
    return f"{code(name)} ({', '.join(filter(None, (to.type, default)))}){ours}"


def _answers(call: EmulatedTool) -> str:
    told = (
        code(f"{name}?" if isinstance(part, OptionalFieldTemplate) else name)
        for name, part in (call.answers or {}).items()
    )
    return f"Answers {', '.join(told)}."


def _argument(name: str, to: ArgumentMapping) -> str:
    """``mode (exact or fuzzy, "exact"): its meaning``."""
    default = "required" if to.needed else "" if to.default is None else json.dumps(to.default)
    kind = " or ".join(map(code, to.choices)) or to.type
    meaning = " ".join(filter(None, (_meaning(to), to.why)))
    return f"{code(name)} ({', '.join(filter(None, (kind, default)))}): {meaning}"


def _meaning(to: ArgumentMapping) -> str:
    if to.field:
        return f"`{to.field}`."
    if to.sift is not None:
        return (to.sift.__doc__ or "Those that are no less.").split("\n")[0]
    return "" if to.why else "Its fields:"


def _waiting(system: str) -> list[str]:
    rows = [(code(name), reason) for name, reason in tool_names.WAITING[system].items()]
    return ["Not offered yet:", table(("Name", "Waits for"), rows)]
