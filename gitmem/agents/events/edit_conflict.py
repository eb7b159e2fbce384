"""Finding the rules that an edit goes against: those that reject by name what the edit adds.

Only what a rule rejects explicitly counts, such as a module that a decision turned down, and only
if the file did not hold it before. Imported for edits that share a word with a rule; none of their
text is kept.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from gitmem.agents.events import messages
from gitmem.agents.events.messages import HookContext
from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.git import blobs
from gitmem.memory import conflict, plan
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.store.memory import memories
from gitmem.store.session.hook_queries import RULES
from gitmem.timeline import suggestions
from gitmem.timeline.suggestions import MessageAboutMemory

MOST = 2
_MOST_FILES, _LONGEST_FILE = 3, 1_000_000  # bytes of a file before the edit that are compared


@dataclass(frozen=True, slots=True)
class EditConflict:
    """An edit that adds what a rule (a stored memory) rejects, with the rule's clause, ``phrase``.

    ``added`` are the rejected words that the edit adds, by word stem.
    """

    rule: Memory
    phrase: str
    added: dict[str, str]


def find_edit_conflicts(
    hook: HookContext, rule_row_numbers: Sequence[int], files: Sequence[str]
) -> list[EditConflict]:
    """The rules that the edit in ``hook`` goes against, each as an EditConflict.

    ``rule_row_numbers`` are those of the memories to compare, ``files`` the paths edited. Rules
    whose conflict was already shown in this session are left out.
    """
    visible = messages.visible_memory_filter(hook, RULES)
    before = plan.content_words_by_stem(hook.hook_event.removed_text)
    added = {
        stem: word
        for stem, word in plan.content_words_by_stem(hook.hook_event.added_text).items()
        if stem not in before
    }
    return [
        clash
        for rule in memories.memories_by_row_number(hook.database, rule_row_numbers, visible)
        if suggestions.contradiction_warning_key(rule.id) not in hook.shown
        and (clash := _clash(rule, added, files)) is not None
    ]


def _clash(rule: Memory, added: dict[str, str], files: Sequence[str]) -> EditConflict | None:
    """The first phrase that rejects what is added; its subject may be the file, as in a review."""
    cited = any(f"{file}/".startswith(f"{path}/") for file in files for path in rule.paths)
    places = plan.content_words_by_stem(" ".join(files)).keys()
    # The title is read by itself, too: a reason that names what it rejects does not want that.
    texts = (rule.title, plan.title_and_content(rule))
    for phrase in (
        phrase for text in texts for phrase in conflict.read_text_stance(text).turns_down
    ):
        rejected = phrase.stems - phrase.about or phrase.stems
        named = plan.content_words_by_stem(" ".join(rejected)).keys() or rejected
        about = plan.content_words_by_stem(" ".join(phrase.about)).keys() if phrase.about else set()
        if not (cited or about <= places | added.keys()):
            continue
        if phrase.firm and named <= added.keys():
            longest = [
                stem
                for stem in named
                if not any(stem in longer and stem != longer for longer in named)
            ]
            return EditConflict(rule, phrase.text, {stem: added[stem] for stem in longest})
    return None


def describe_edit_conflicts(
    hook: HookContext, conflicts: Sequence[EditConflict], files: Sequence[str]
) -> Iterator[MessageAboutMemory]:
    """Yield at most two MessageAboutMemory, each on a rule that an edit goes against.

    Conflicts whose words the ``files`` held at the last commit are left out.
    """
    before = plan.content_words_by_stem(_read_at_head(hook.app, files))
    fresh = [clash for clash in conflicts if before.keys().isdisjoint(clash.added)]
    for clash in fresh[:MOST]:
        adds = ", ".join(sorted(clash.added.values()))
        note = f'it says "{clash.phrase}", and this edit adds {adds}'
        yield replace(messages.memory_as_message(hook, "against", clash.rule), note=note)


def _read_at_head(app: App, files: Sequence[str]) -> str:
    """What the files held at the last commit. Best effort: a new file held nothing."""
    texts = []
    for path in files[:_MOST_FILES]:
        with suppress(GitmemError):
            texts.append(blobs.read_file_at_head(app.worktree, path, max_bytes=_LONGEST_FILE))
    return b"\n".join(texts).decode("utf-8", "replace")
