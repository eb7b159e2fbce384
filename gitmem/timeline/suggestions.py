"""Choosing the messages that a session gets unasked. Pure.

Most prompts get none. There is a message if the prompt names cited code that changed since, if a
decision or a fix has nearly all of its content words, or if it quotes an error that was fixed
before. A session gets no message twice.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from gitmem.model.frozen import dataclass

MAX_MESSAGES = 5  # messages in one answer
MAX_TOKENS = 300  # tokens of them, with the lines of their frame
WIDTH = 200  # characters of a quote
LONGEST = 20_000  # characters of a prompt that are read
# The content words of a prompt that a memory must have to answer it, and their share.
MIN_SHARED_WORDS, MIN_SHARED_FRACTION = 3, 2 / 3
# Places that may share a name; with more it identifies none.
MAX_PATHS_PER_NAME = 3
_FRAME = 40  # tokens of a frame's two lines

# In order of importance. ``against``: a rule that the prompt may contradict; ``check``: a stale
# memory; ``fix``: it fixed this error before; ``rule``: a convention; ``answer``: a decision or fix
# that answers; ``about``: it cites the edited file; then what ``hooks.reminders`` adds.
TYPES = (
    *("against", "check", "fix", "rule", "answer", "about"),
    *("recent_error", "command_context", "session_context"),
)
_LEAD = {
    "check": "check first",
    "fix": "seen before",
    "against": "may conflict with",
    "rule": "convention",
    "answer": "known",
    "about": "about this file",
    "recent_error": "recent error",
    "command_context": "last check",
    "session_context": "recent files",
}

# Patterns stay text until they are needed.
_TOKEN = r"[\w@+./\\:#-]{2,300}(?:\(\))?"
_TICKED = r"`([^`\n]{2,80})`"
_CODE = r"[a-z][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|[A-Z]{2}[a-z]|\d[A-Z]|\(\)$"
_FILE = r"[\w@+-][\w@+.-]*\.[A-Za-z][A-Za-z0-9]{0,5}"
_IDENTIFIER = r"[A-Za-z_][\w.]*"
_MANY = 60


@dataclass(frozen=True, slots=True)
class CodeNamedInPrompt:
    """The paths (or ends of paths) and the dotted names of code in a prompt to an agent."""

    paths: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MessageAboutMemory:
    """A message to an agent about a memory (a stored note), shown without being asked for.

    ``type`` is one of ``TYPES``; ``label`` is shown in brackets before the ``text``, ``note`` in
    parentheses after it. Messages of one type are in order of ``worth``, the highest first.
    """

    id: str
    type: str
    label: str
    text: str
    note: str = ""
    worth: tuple[float, ...] = ()

    @property
    def shown_once_key(self) -> str:
        """The key by which the message is shown once in a session: the memory's id.

        A warning of changed code or a contradiction has a key of its own.
        """
        if self.type == "against":
            return contradiction_warning_key(self.id)
        return stale_warning_key(self.id) if self.type == "check" else self.id


def read_code_names(prompt: str) -> CodeNamedInPrompt:
    """The CodeNamedInPrompt of a prompt: which words look like paths or names of code."""
    text = prompt[:LONGEST]
    ticked = [match.removesuffix("()") for match in re.findall(_TICKED, text)]
    words = re.findall(_TOKEN, text)
    names = [name for name in ticked if re.fullmatch(_IDENTIFIER, name)]
    paths = []
    for word in words:
        parts = word.rstrip(".,;:!?-").replace("\\", "/").removeprefix("./")
        path, _, symbol = parts.partition("::")
        bare = re.sub(r"(?<!^[A-Za-z])[:#].*", "", path)
        if "/" in bare.strip("/") or re.fullmatch(_FILE, bare):
            paths.append(bare)
            name = symbol
        else:
            name = parts.replace("::", ".")
        name = name.removesuffix("()")
        of_code = symbol or "." in name or re.search(_CODE, parts)
        if of_code and re.fullmatch(_IDENTIFIER, name):
            names.append(name)
    return CodeNamedInPrompt(_unique(paths), _unique(names))


def stale_warning_key(memory_id: str) -> str:
    """The key by which a warning about changed code that a memory cites is shown only once."""
    return memory_id + "c"


def contradiction_warning_key(memory_id: str) -> str:
    """The key by which a warning about a contradiction to a memory is shown only once."""
    return memory_id + "x"


def is_symbol_named(symbol: str, names: Collection[str]) -> bool:
    """Whether a symbol, such as ``Server.start``, or its last parts (``start``) are among names."""
    parts = symbol.replace("::", ".").replace("#", ".").split(".")
    ends = {".".join(parts[at:]) for at in range(len(parts))}
    return not ends.isdisjoint(names)


def is_path_named(path: str, paths: Iterable[str]) -> bool:
    """Whether a path is among ``paths``, or is the end of one of them, or one of them its end."""
    return any(
        path == other or path.endswith("/" + other) or other.endswith("/" + path) for other in paths
    )


def ambiguous_file_names(paths: Iterable[str]) -> frozenset[str]:
    """The file names that more than ``MAX_PATHS_PER_NAME`` (3) different paths end with."""
    counts: dict[str, int] = {}
    for path in set(paths):
        name = path.rpartition("/")[2]
        counts[name] = counts.get(name, 0) + 1
    return frozenset(name for name, count in counts.items() if count > MAX_PATHS_PER_NAME)


def shares_enough_words(matching_word_count: int, content_word_count: int) -> bool:
    """Whether a memory shares so many words with a prompt that it is worth showing.

    That is so if it has three or more, and two thirds, of the prompt's content words.
    """
    return (
        matching_word_count >= MIN_SHARED_WORDS
        and matching_word_count >= MIN_SHARED_FRACTION * content_word_count
    )


def choose_messages(
    messages: Iterable[MessageAboutMemory],
    shown_keys: Collection[str],
    *,
    limit: int = MAX_MESSAGES,
) -> list[MessageAboutMemory]:
    """The most important messages, at most ``limit``, one for each memory.

    Those whose ``shown_once_key`` is in ``shown_keys`` are left out.
    """
    ranked = sorted(
        messages,
        key=lambda message: (
            TYPES.index(message.type),
            tuple(-number for number in message.worth),
            message.id,
        ),
    )
    chosen: dict[str, MessageAboutMemory] = {}
    for message in ranked:
        if message.shown_once_key not in shown_keys:
            chosen.setdefault(message.id, message)
    return list(chosen.values())[:limit]


def message_lines(
    messages: Sequence[MessageAboutMemory], max_tokens: int = MAX_TOKENS
) -> list[tuple[MessageAboutMemory, str]]:
    """(message, line) for as many messages as fit into ``max_tokens`` tokens, from the first on.

    Control characters and line feeds are taken out of what they quote.
    """
    from gitmem.text.fence import one_line  # noqa: PLC0415 - most prompts have no message
    from gitmem.text.tokens import estimate_tokens  # noqa: PLC0415 - as above

    room = max_tokens - _FRAME
    chosen = []
    for message in messages:
        label = f"[{message.label}] " if message.label else ""
        note = f" ({one_line(message.note, 90)})" if message.note else ""
        line = f"- {_LEAD[message.type]}: {label}{one_line(message.text, WIDTH)}{note}"
        room -= estimate_tokens(line) + 1
        if room < 0:
            break
        chosen.append((message, line))
    return chosen


def _unique(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for word in words if len(word) > 1))[:_MANY]
