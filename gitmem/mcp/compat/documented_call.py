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
    """How an argument of another system's tool is read: its JSON type, and gitmem's field.

    ``field`` is one of the operation's, or ``REPOSITORY``; ``sift`` filters the result, instead or
    as well. Without both it is accepted and ignored: ``why`` gives the reason. ``default`` is the
    documented one; ``change`` converts a value to gitmem's or refuses it; ``inside`` are the fields
    of an object. ``stays``: the value stays in the object that it is in, whatever else it means;
    ``only``: the object has no fields but those inside. ``adds``: the list joins that of others in
    its field.
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
class ValuePath:
    """A dotted path to a value in the current item, the arguments, or earlier results.

    ``most``: cut a text to so many characters, on one line, at a word. ``other``: the path if there
    is no value. ``each``: take this field of the items of a list, if not empty, of at most
    ``most``. ``change`` converts another system's value to gitmem's.
    """

    at: str
    most: int = 0
    other: str = ""
    each: str = ""
    change: Callable[[Any], Any] | None = None


@dataclass(frozen=True, slots=True)
class CallStep:
    """An additional operation of a call, and its arguments.

    ``where`` is paths joined by "and": it is skipped if a value is empty, or after "not" is not. A
    call with a step that writes is one that writes.
    """

    operation: str
    gives: Mapping[str, ValuePath | Any]
    where: str = ""


@dataclass(frozen=True, slots=True)
class DocumentedCall:
    """A tool that another system documents, under each of its names, and how it is answered.

    ``answers`` is the shape of its data (``compat.answer_shape``); None: that of gitmem's
    operation, since the documentation shows no fields. ``fixed`` arguments have one value here; a
    path is looked up if the call does not give the argument. The results of ``first`` and ``then``
    are available to the shape by their names. ``page`` is the list of the result that is filtered,
    by arguments and always by ``sifts``, and cut to the limit; if it is empty, ``retry`` (argument
    -> the value tried, the value to try next) asks a second time. ``departs`` says how the answer
    differs from the other system's. ``sticks``: later calls of the connection use the repository
    that this one names. ``says`` describes the tool in place of the operation's help. ``text`` is
    the field of the answer that is its text as well.
    """

    system: str
    names: tuple[str, ...]
    operation: str
    takes: Mapping[str, ArgumentMapping]
    answers: Mapping[str, Any] | None
    fixed: Mapping[str, Any] = {}
    first: Mapping[str, CallStep] = {}
    then: Mapping[str, CallStep] = {}
    page: str = ""
    retry: Mapping[str, tuple[Any, Any]] = {}
    sifts: tuple[tuple[ItemFilter, Any], ...] = ()
    departs: str = ""
    sticks: bool = False
    says: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class ActionDispatch:
    """A tool name that stands for several calls, of which the arguments choose one.

    ``detect``: the first of these arguments that is given (``pinned=true``: with this value)
    determines the action, else ``guess`` from the values, else it is ``otherwise``. Without ``by``
    only these decide.
    """

    system: str
    name: str
    by: str
    actions: Mapping[str, DocumentedCall]
    detect: tuple[tuple[str, str], ...]
    otherwise: str
    departs: str = ""
    guess: Callable[[Mapping[str, Any]], str] | None = None
