"""The records of a call that another system documents, and of how it is answered here.

For each tool: its arguments with their defaults, our operation, and the fields of its answer. Data
only: ``tables`` reads it, ``tools.calls`` runs it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gitmem.model.frozen import dataclass

# A filter: takes items of a result as JSON and an argument's value, and returns the items to keep.
ItemFilter = Callable[[list[Any], Any], list[Any]]
CONTEXTIFY, ENGINE = "Contextify", "Context Engine"
SYSTEMS = ("Context Fabric", "Context Cache", "MemoryLayer", CONTEXTIFY, ENGINE)
# The argument that names the repository of a call; see ``rpc.repo_resolver``.
REPOSITORY = "repo"


@dataclass(frozen=True, slots=True)
class ArgumentMapping:
    """How gitmem reads an argument of a tool that another memory system documents.

    ``type`` is its JSON type. ``field`` is the argument of gitmem's operation that it sets
    (``repo``: the repository of the call), after ``change`` converted its value. ``sift`` filters
    the items of the result by the value. Without both it is ignored, for the reason ``why``.
    ``inside`` are the keys of an object: ``only`` refuses others, ``stays`` keeps a key in the
    object too. ``adds``: its list is appended to that of other arguments for the field.
    """

    type: str
    field: str = ""
    default: Any = None
    needed: bool = False
    change: Callable[[Any], Any] | None = None
    sift: ItemFilter | None = None
    why: str = ""
    inside: Mapping[str, ArgumentMapping] = {}
    choices: tuple[str, ...] = ()
    stays: bool = False
    only: bool = False
    adds: bool = False


@dataclass(frozen=True, slots=True)
class ArgumentValuePath:
    """A value that is looked up in a call's data by a dotted path, as an operation's argument.

    The data are the arguments (``asked.query``) and the results of earlier operations. ``at`` is
    the path, ``other`` the next one to try. A text is cut to ``most`` characters (0: not at all),
    at a word; of a list, ``each`` takes this field of at most ``most`` items. ``change`` converts
    the value.
    """

    at: str
    most: int = 0
    other: str = ""
    each: str = ""
    change: Callable[[Any], Any] | None = None


@dataclass(frozen=True, slots=True)
class AdditionalOperation:
    """A further operation that a tool call runs, in addition to its main one.

    ``gives`` are its arguments by name, constants or paths. ``where`` is its condition: paths
    joined by " and ", whose values must not be empty, or must be after "not ".
    """

    operation: str
    gives: Mapping[str, ArgumentValuePath | Any]
    where: str = ""


@dataclass(frozen=True, slots=True)
class EmulatedTool:
    """A tool of another memory system, and the operation of gitmem that answers it.

    ``takes`` says how each argument is read, ``fixed`` gives further arguments of the operation.
    ``answers`` is the template of the answer's data (None: gitmem's own data). ``first`` and
    ``then`` are further operations, by name, run before and after it: the template can use their
    results. ``page`` names the list in the result that is filtered, by ``sifts`` (filter, value)
    and by arguments; if the list is empty, ``retry`` (argument: value tried, next value) runs it
    again. ``departs`` tells users how the answer differs, ``says`` describes the tool. ``sticks``:
    later calls use the repository of this one. ``text`` is the field that is the answer's text.
    """

    system: str
    names: tuple[str, ...]
    operation: str
    takes: Mapping[str, ArgumentMapping]
    answers: Mapping[str, Any] | None
    fixed: Mapping[str, Any] = {}
    first: Mapping[str, AdditionalOperation] = {}
    then: Mapping[str, AdditionalOperation] = {}
    page: str = ""
    retry: Mapping[str, tuple[Any, Any]] = {}
    sifts: tuple[tuple[ItemFilter, Any], ...] = ()
    departs: str = ""
    sticks: bool = False
    says: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class EmulatedMultiActionTool:
    """A tool of another memory system that does several things: arguments choose the action.

    The argument ``by`` names the action, a key of ``actions``. Without it, the first pair of
    ``detect`` (argument or ``argument=value``, action) that the call gives decides, then ``guess``
    (arguments -> action or ""), then it is ``otherwise``.
    """

    system: str
    name: str
    by: str
    actions: Mapping[str, EmulatedTool]
    detect: tuple[tuple[str, str], ...]
    otherwise: str
    departs: str = ""
    guess: Callable[[Mapping[str, Any]], str] | None = None
