"""What a prompt calls for: nothing, in the ordinary case.

Memories that stand on a place which the prompt names and which has changed since; how an error it
quotes was mended before; at most two rules that it may go against, and two decisions or fixes that
hold nearly all of its telling words.
The prompt's own text is kept nowhere.
"""

from collections.abc import Iterator, Sequence

from gitmem.agents.events import event_log, messages, record, responses
from gitmem.agents.events.hook_event import Moment
from gitmem.agents.events.messages import Desk
from gitmem.app import App
from gitmem.errors import InvalidInput
from gitmem.model.frozen import replace
from gitmem.store.session import hook_queries
from gitmem.store.session.hook_queries import RULES
from gitmem.timeline import suggestions
from gitmem.timeline.suggestions import Message, Named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.model.memory import Memory

ANSWERS = ("decision", "fix")
MOST_ANSWERS = MOST_AGAINST = 2
MOST_STALE = 3
# Memories at a place that are looked at, and characters of a prompt whose words are looked up.
_MOST_LOOKS, _LONGEST = 20, 4_000
_LEAST_LETTERS = 3


def prompt(app: App, moment: Moment) -> str:
    """What is worth being told with this prompt; nearly always empty. Raises GitmemError."""
    record.note(app, moment, event_log.PROMPT)
    record.hand_over(app, moment)
    if not moment.prompt.strip() or not responses.injects(moment):
        return ""
    at = messages.desk(app, moment)
    if at is None:
        return ""
    asked = moment.prompt[: suggestions.LONGEST]
    found = _stale(at, suggestions.read(asked))
    # How an error that the prompt quotes was mended before.
    if (fix := messages.mended(at, asked)) is not None:
        found.append(messages.mending(at, fix))
    return messages.said(at, [*found, *_spoken_of(at, asked)])


def _stale(at: Desk, named: Named) -> list[Message]:
    """Memories on a place that the prompt names, where what they stand on has changed."""
    ids = {id for id in _citing(at, named) if suggestions.doubt(id) not in at.told}
    if not ids:
        return []
    found = hook_queries.of_ids(at.database, ids, messages.wanted(at))[:_MOST_LOOKS]
    states = messages.fresh(at, found)
    stale = [one for one in found if one.id in states and states[one.id].stale]
    return [
        messages.doubted(messages.message(at, "check", one), states[one.id])
        for one in stale[:MOST_STALE]
    ]


def _citing(at: Desk, named: Named) -> set[str]:
    """Ids of the memories that cite what is named."""
    ids: set[str] = set()
    if named.paths:
        rows = hook_queries.named(at.database, named.paths)
        unsure = suggestions.unsure(path for _, path in rows)
        sure = [path for path in named.paths if path not in unsure]
        ids.update(memory for memory, path in rows if suggestions.of_paths(path, sure))
    if named.names:
        rows = hook_queries.symbols(at.database)
        ids.update(memory for memory, symbol in rows if suggestions.of_names(symbol, named.names))
    return ids


def _spoken_of(at: Desk, asked: str) -> list[Message]:
    """Rules that the prompt may go against, and what holds nearly all of its telling words."""
    telling = _telling(at, asked)
    expression = " OR ".join(telling.values())
    # What of few words is said may go against a rule; it takes more to be answered.
    kinds = (*RULES, *ANSWERS) if len(telling) >= suggestions.LEAST_MET else RULES
    if not telling or not hook_queries.any_rule(at.database, expression, kinds):
        return []
    from gitmem.store.memory import memories, memory_search  # noqa: PLC0415 - most prompts tell nothing

    wanted = messages.wanted(at, tuple(dict.fromkeys(kinds)))
    numbers = [n for n, _ in memory_search.match(at.database, expression, wanted, _MOST_LOOKS)]
    held = memory_search.matched(at.database, telling, numbers) if numbers else {}
    met = {n: len(words) for n, words in held.items()}
    if not met:
        return []
    found = memories.by_seq(at.database, list(met), wanted)
    against = [*_against(at, asked, found, met)][:MOST_AGAINST]
    rest = [one for one in found if one.id not in {message.id for message in against}]
    return [*against, *_answers(at, rest, met, len(telling))]


def _against(
    at: Desk, asked: str, found: "Sequence[Memory]", met: dict[int, int]
) -> Iterator[Message]:
    """The rules that the prompt may go against, with what makes it seem so."""
    rules = [one for one in found if one.kind in RULES and suggestions.clash(one.id) not in at.told]
    if all(met[one.seq] == 1 for one in rules):
        from gitmem.text.negation_words import CHOOSES  # noqa: PLC0415 - few prompts speak of a rule

        rules = rules if CHOOSES & {*asked.lower().split()} else []
    if not rules:
        return
    from gitmem.memory import conflict, contradiction, plan  # noqa: PLC0415 - as above

    said = plan.statements(asked[:_LONGEST])
    for rule in sorted(rules, key=lambda one: (-met[one.seq], -one.weight, one.id)):
        stance = conflict.stance(plan.text(rule))
        for one in said:
            concerns = met[rule.seq] > 1
            clash = contradiction.clash(one, rule, stance, concerns=concerns)
            # A single word is enough where it is chosen: "use sqlite3".
            if clash and (
                concerns or one.stance.chosen & conflict.words(" ".join(clash.terms)).keys()
            ):
                yield replace(messages.message(at, "against", rule), note=clash.why)
                break


def _answers(
    at: Desk, found: "Sequence[Memory]", met: dict[int, int], telling: int
) -> list[Message]:
    """Decisions and fixes that hold nearly all of the words by which the prompt can be told."""
    fresh = [
        one
        for one in found
        if one.kind in ANSWERS
        and one.id not in at.told
        and suggestions.answers(met[one.seq], telling)
    ]
    fresh.sort(key=lambda one: (-met[one.seq], -one.weight, -one.updated_at, one.id))
    chosen = fresh[:MOST_ANSWERS]
    states = messages.fresh(at, chosen)
    return [
        messages.doubted(
            messages.message(at, "answer", one, (float(met[one.seq]),)), states.get(one.id)
        )
        for one in chosen
    ]


def _telling(at: Desk, asked: str) -> dict[str, str]:
    """The rare words of a prompt with their expressions: those that few memories hold."""
    from gitmem.search import query  # noqa: PLC0415 - the words come last
    from gitmem.store.db import full_text  # noqa: PLC0415 - as above

    try:
        terms = query.parse(asked[:_LONGEST])
    except InvalidInput:
        return {}  # a prompt without a word
    most = hook_queries.few(at.database)
    counts = {
        term: full_text.frequency(at.database, "memory_text", term.expression, most + 1)
        for term in terms
        if len(term.label) >= _LEAST_LETTERS and not term.label.isdigit()
    }
    return {term.label: term.expression for term, count in counts.items() if 0 < count <= most}
