"""A call as another system documents it, and what answers it here: the vocabulary of the tables.

A table says of each tool its arguments with their defaults, which of our operations does it, and
the fields of its answer. Data only: ``tables`` reads it, ``tools.documented`` carries it out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gitmem.model.frozen import dataclass

# Items of a result as JSON, and what an argument asks of them: those that stay, in their order.
Sift = Callable[[list[Any], Any], list[Any]]
CONTEXTIFY, ENGINE = "Contextify", "Context Engine"
SYSTEMS = ("Context Fabric", "Context Cache", "MemoryLayer", CONTEXTIFY, ENGINE)
# The argument that names the repository of a call; see ``rpc.repo_resolver``.
REPOSITORY = "repo"


@dataclass(frozen=True, slots=True)
class To:
    """An argument of theirs: its JSON type, and what becomes of it here.

    ``field`` is one of the operation's, or ``REPOSITORY``; ``sift`` is applied to what was found
    instead. With neither it is accepted and changes nothing: ``why`` says for what reason, and
    where we depart. ``default`` is the documented one; ``change`` makes their value ours;
    ``inside`` are the fields of an object.
    """

    type: str
    field: str = ""
    default: Any = None
    needed: bool = False
    change: Callable[[Any], Any] | None = None
    sift: Sift | None = None
    why: str = ""
    inside: Mapping[str, To] = {}
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Path:
    """Where a value is found: dotted, in an item, else in what was asked and what the steps told.

    ``most``: characters of a text that are taken, on one line and whole words. ``other``: where it
    is found if nothing is there. ``each``: this field of the items of a list, where it has a value,
    of the first ``most``.
    """

    at: str
    most: int = 0
    other: str = ""
    each: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """An operation beside the one that does the work, and its arguments.

    It is left out where what ``where`` names is empty. A call with a step that writes is one that
    writes.
    """

    operation: str
    gives: Mapping[str, Path | Any]
    where: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """A documented tool, under each of its names.

    ``answers`` is the shape of its data (``compat.answer_shape``); None: their documents show no
    fields, and it is ours. ``fixed`` arguments have one value here; one with a path is found there
    where the call does not give it. What ``first`` and ``then`` tell is there for the shape under
    their names. ``page`` is the list of the result that is sifted, by arguments and always by
    ``sifts``, and cut to the limit; ``departs`` says where the answer is not theirs. ``sticks``:
    later calls of the connection work in the repository that this one names. ``says`` describes
    the tool where the operation's own words do not.
    """

    system: str
    names: tuple[str, ...]
    operation: str
    takes: Mapping[str, To]
    answers: Mapping[str, Any] | None
    fixed: Mapping[str, Any] = {}
    first: Mapping[str, Step] = {}
    then: Mapping[str, Step] = {}
    page: str = ""
    sifts: tuple[tuple[Sift, Any], ...] = ()
    departs: str = ""
    sticks: bool = False
    says: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """One name for several calls: the argument ``by`` says which one, or what else is given.

    ``detect``: the first of these arguments that is given (``pinned=true``: with this value) names
    the action, else ``guess`` does by what the values say, where it finds anything; ``otherwise``
    is it where none is. Without ``by`` only they decide.
    """

    system: str
    name: str
    by: str
    actions: Mapping[str, Call]
    detect: tuple[tuple[str, str], ...]
    otherwise: str
    departs: str = ""
    guess: Callable[[Mapping[str, Any]], str] | None = None
