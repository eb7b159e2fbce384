"""What an edit that is about to be made calls for: a rule that it would go against, said once.

Only what a rule turns down in so many words is looked for in what the edit adds, such as a module
that a decision rejected. It never stops the edit, and nothing of it is kept.
"""

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress

from gitmem.agents.events import messages, post_edit, responses
from gitmem.agents.events.hook_event import Moment
from gitmem.agents.events.messages import Desk
from gitmem.app import App
from gitmem.model.frozen import replace
from gitmem.store.session import hook_queries
from gitmem.text import identifiers
from gitmem.timeline import suggestions
from gitmem.timeline.suggestions import RULES, Message

MOST = 2
# Words of an edit that are looked up, and rules that are read for them.
_MOST_WORDS, _MOST_LOOKS = 60, 20
_LEAST_LETTERS = 4
_LONGEST_FILE = 200_000  # bytes


def warn(app: App, moment: Moment) -> str:
    """What is worth being told before this edit; nearly always empty. Raises GitmemError."""
    files = post_edit.places(app, moment)
    if not (files and moment.adds and responses.injects(moment)):
        return ""
    at = messages.desk(app, moment)
    if at is None:
        return ""
    warnings = [*_against(at, _known(app, files))][:MOST]
    # Asked of git only where there is something to say.
    if not warnings or not post_edit.spoken(app, files):
        return ""
    return messages.said(at, warnings, MOST)


def _known(app: App, files: Sequence[str]) -> str:
    """What stands in the files already: to write it again adds nothing. Best effort."""
    texts = []
    for path in files[:MOST]:
        with suppress(OSError), open(os.path.join(app.worktree, path), "rb") as file:
            texts.append(file.read(_LONGEST_FILE).decode("utf-8", "replace"))
    return "\n".join(texts)


def _against(at: Desk, content: str) -> Iterator[Message]:
    """The rules that turn down what the edit adds, with the words in which they do."""
    moment = at.moment
    before = set(identifiers.terms(f"{moment.takes}\n{content}"))
    words = [word for word in dict.fromkeys(identifiers.terms(moment.adds)) if word not in before]
    expression = " OR ".join(_telling(at, words))
    if not expression or not hook_queries.any_rule(at.database, expression, RULES):
        return
    from gitmem.memory import conflict, plan  # noqa: PLC0415 - few edits speak of a rule
    from gitmem.store.memory import memories, memory_search  # noqa: PLC0415 - as above

    added = plan.words(" ".join(words))
    visible = messages.wanted(at, RULES)
    numbers = [n for n, _ in memory_search.match(at.database, expression, visible, _MOST_LOOKS)]
    for rule in memories.by_seq(at.database, numbers, visible) if numbers else []:
        if suggestions.clash(rule.id) in at.told:
            continue
        for phrase in conflict.stance(plan.text(rule)).turns_down:
            named = plan.words(" ".join(phrase.stems)).keys() or phrase.stems
            if phrase.firm and named <= added.keys():
                adds = ", ".join(sorted(added[stem] for stem in _whole(named)))
                note = f'it says "{phrase.said}", and this edit adds {adds}'
                yield replace(messages.message(at, "against", rule), note=note)
                break


def _whole(stems: Collection[str]) -> list[str]:
    """Some stems without those that are a part of another."""
    return [
        stem for stem in stems if not any(stem in longer and stem != longer for longer in stems)
    ]


def _telling(at: Desk, words: Sequence[str]) -> Iterator[str]:
    """Expressions for those words of an edit that few memories hold."""
    from gitmem.search import query  # noqa: PLC0415 - for edits that add something
    from gitmem.store.db import full_text  # noqa: PLC0415 - as above

    most = suggestions.rare(hook_queries.total(at.database))
    telling = [word for word in words if len(word) >= _LEAST_LETTERS and word.isalnum()]
    for word in telling[:_MOST_WORDS]:
        expression = query.phrase(word)
        if 0 < full_text.frequency(at.database, "memory_text", expression, most + 1) <= most:
            yield expression
