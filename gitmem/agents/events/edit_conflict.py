"""The rules that an edit goes against: those that turn down by name what it has just added.

Only what a rule turns down in so many words is looked for, such as a module that a decision
rejected, and only where it did not stand in the file before. Loaded for edits that hold a word of a
rule; nothing of their text is kept.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from gitmem.agents.events import messages
from gitmem.agents.events.messages import Desk
from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.git import blobs
from gitmem.memory import conflict, plan
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.store.memory import memories
from gitmem.store.session.hook_queries import RULES
from gitmem.timeline import suggestions
from gitmem.timeline.suggestions import Message

MOST = 2
_MOST_FILES, _LONGEST_FILE = 3, 1_000_000  # bytes of a file before the edit that are compared


@dataclass(frozen=True, slots=True)
class Clash:
    """A rule, the phrase in which it turns something down, and that as stem -> word of the edit.

    A word that is a part of another one of them ("sqlite" of "sqlite3") is left out of ``added``.
    """

    rule: Memory
    phrase: str
    added: dict[str, str]


def clashes(at: Desk, numbers: Sequence[int]) -> list[Clash]:
    """Where an edit adds what one of these rules turns down, each rule once in a session."""
    visible = messages.wanted(at, RULES)
    before = plan.words(at.moment.takes)
    added = {stem: word for stem, word in plan.words(at.moment.adds).items() if stem not in before}
    return [
        clash
        for rule in memories.by_seq(at.database, numbers, visible)
        if suggestions.clash(rule.id) not in at.told and (clash := _clash(rule, added)) is not None
    ]


def _clash(rule: Memory, added: dict[str, str]) -> Clash | None:
    for phrase in conflict.stance(plan.text(rule)).turns_down:
        named = plan.words(" ".join(phrase.stems)).keys() or phrase.stems
        if phrase.firm and named <= added.keys():
            longest = [
                stem
                for stem in named
                if not any(stem in longer and stem != longer for longer in named)
            ]
            return Clash(rule, phrase.said, {stem: added[stem] for stem in longest})
    return None


def against(at: Desk, found: Sequence[Clash], files: Sequence[str]) -> Iterator[Message]:
    """What is said of the clashes that an edit of these files brought in."""
    before = plan.words(_at_head(at.app, files))
    fresh = [clash for clash in found if before.keys().isdisjoint(clash.added)]
    for clash in fresh[:MOST]:
        adds = ", ".join(sorted(clash.added.values()))
        note = f'it says "{clash.phrase}", and this edit adds {adds}'
        yield replace(messages.message(at, "against", clash.rule), note=note)


def _at_head(app: App, files: Sequence[str]) -> str:
    """What stood in the files at the last commit. Best effort: a new file held nothing."""
    texts = []
    for path in files[:_MOST_FILES]:
        with suppress(GitmemError):
            texts.append(blobs.at_head(app.worktree, path, most=_LONGEST_FILE))
    return b"\n".join(texts).decode("utf-8", "replace")
