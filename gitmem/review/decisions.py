"""Decisions and conventions that the added lines contradict.

A pattern is checked by its rule. A decision is contradicted by what it rejects by name: where a
line calls or imports it, or where a manifest newly depends on it. What prose means beyond that is
not guessed.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from gitmem.app import App
from gitmem.assembly import manifests
from gitmem.indexing import file_filter
from gitmem.memory import conflict, plan
from gitmem.memory.conflict import RejectedPhrase
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.model.review_finding import ERROR, NOTE, WARNING, ReviewFinding
from gitmem.patterns import checker, pattern_store, said_rule, validation
from gitmem.patterns.rule import CodeRule
from gitmem.review.reviewed_diff import ReviewedDiff, ReviewedFile
from gitmem.review.time_limit import TimeLimit
from gitmem.store.code import symbols
from gitmem.store.db.connection import Database
from gitmem.store.memory import short_ids
from gitmem.text.fence import one_line
from gitmem.text.identifiers import words_and_identifier_parts
from gitmem.text.stem import strip_inflection

KINDS = ("decision", "workflow")
_TITLE = 80
_CHECKS = ("call", "use", "import", "type", "layer")


@dataclass(frozen=True, slots=True)
class _NewName:
    """A module or package that the diff newly uses: where, and how ("imports", "depends on")."""

    name: str
    path: str
    line: int
    how: str


def find_pattern_violations(app: App, diff: ReviewedDiff, limit: TimeLimit) -> list[ReviewFinding]:
    """Return a finding for each new line that breaks a stored code pattern (a rule for code)."""
    if not app.has_store:
        return []
    active = [stored for stored in pattern_store.list_visible_patterns(app) if stored.is_active]
    files = {file.path: file for file in diff.files if file.new is not None and file.language}
    checked = limit.items_while_time_left(files.values(), "patterns") if active else ()
    contents = ((file.path, file.new or b"", file.added_ranges) for file in checked)
    findings = []
    for breach in validation.check_files_against_patterns(app, active, contents).findings:
        if _moved(files[breach.path], breach.line):
            continue
        pattern = breach.stored.pattern
        instead = f"; use {pattern.rule.instead}" if pattern.rule and pattern.rule.instead else ""
        severe = pattern.rule is not None and pattern.rule.severity == "error"
        memory = breach.stored.memory
        message = f"{breach.what}{instead}, says {memory_as_phrase(breach.stored.database, memory)}"
        findings.append(
            ReviewFinding(
                f"pattern/{pattern.name}",
                ERROR if severe else WARNING,
                breach.path,
                breach.line,
                message,
                memory=memory.id,
            )
        )
    return findings


def _moved(file: ReviewedFile, line: int) -> bool:
    """Whether a line stood in the old version as often as in the new one."""
    text = file.new_lines[line - 1].strip() if line <= len(file.new_lines) else ""
    before = file_filter.decode_text(file.old) if file.old else ""
    counted = Counter(each.strip() for each in before.split("\n"))
    return bool(text) and counted[text] >= sum(each.strip() == text for each in file.new_lines)


def memory_as_phrase(database: Database, memory: Memory) -> str:
    """Return a memory as a phrase such as ``the decision "Use X" (01ab)``, for a message."""
    title = one_line(memory.headline, _TITLE)
    return f'the {memory.kind} "{title}" ({short_ids.shortest_unique_prefix(database, memory.id)})'


def find_contradicted_decisions(
    app: App, diff: ReviewedDiff, limit: TimeLimit
) -> list[ReviewFinding]:
    """Return findings for stored decisions that reject something that the diff begins to use."""
    if not app.has_store:
        return []
    decided = [
        (database, memory)
        for database in app.stores()
        for memory in pattern_store.list_visible_memories(app, database, KINDS, ("active",))
    ]
    if not decided:
        return []
    new = {name.name.lower(): name for name in _new_names(diff, limit)}
    findings: list[ReviewFinding] = []
    for database, memory in decided:
        if limit.is_over:
            limit.notes.append("For lack of time not every decision was compared.")
            break
        text = plan.title_and_content(memory)
        stated = said_rule.find_stated_rule(text)
        hits = list(_by_rule(diff, stated.rule, new)) if stated and stated.sure else []
        hits = hits or list(dict.fromkeys(_by_words(app, diff, memory, new)))
        for path, line, level, what in hits[:3]:
            message = f"{what}, against {memory_as_phrase(database, memory)}"
            rule = "decision/contradicted"
            findings.append(ReviewFinding(rule, level, path, line, message, memory=memory.id))
    return findings


_Hit = tuple[str, int, str, str]  # path, line, level, what


def _by_rule(diff: ReviewedDiff, rule: CodeRule, new: dict[str, _NewName]) -> Iterator[_Hit]:
    if rule.check not in _CHECKS:
        return
    names = [name.removesuffix("()").lower() for name in rule.names]
    for hit in (new[name] for name in names if name in new):
        yield hit.path, hit.line, WARNING, f"it {hit.how} {hit.name}"
    if rule.check != "import":
        yield from _by_syntax(diff, rule)


def _by_syntax(diff: ReviewedDiff, rule: CodeRule) -> Iterator[_Hit]:
    names = [name.strip(".!()").rpartition(".")[2].rpartition("::")[2] for name in rule.names]
    for file in diff.files:
        added = " ".join(text for _, text in file.numbered_added_lines) if file.language else ""
        if not added or (names and not any(name in added for name in names)):
            continue
        source = checker.prepare_source_file(file.path, file.language, file.new or b"", [rule])
        for breach in checker.find_rule_violations(rule, "", source) if source else ():
            if file.is_added_line(breach.line) and not _moved(file, breach.line):
                yield file.path, breach.line, WARNING, breach.what


def _by_words(
    app: App, diff: ReviewedDiff, memory: Memory, new: dict[str, _NewName]
) -> Iterator[_Hit]:
    """What prose firmly rejects and the diff newly imports, if it is about the same thing."""
    text = plan.title_and_content(memory)
    low = text.lower()
    candidates = [key for name, key in new.items() if name in low]
    # Read by itself, too: a reason that names what the title rejects does not want it.
    texts = (memory.title, text) if candidates else ()
    for phrase in (
        phrase for part in texts for phrase in conflict.read_text_stance(part).turns_down
    ):
        for candidate in candidates:
            cited = any(f"{candidate.path}/".startswith(f"{path}/") for path in memory.paths)
            if phrase.firm and _is_about(phrase, candidate, diff, cited=cited):
                # Others use it already: the decision is older than that, or narrower.
                users = symbols.importers_of_modules(app.store, app.worktree, [candidate.name], 50)
                usual = any(user.path not in diff.paths for user in users)
                level = NOTE if usual else WARNING
                yield candidate.path, candidate.line, level, f"it {candidate.how} {candidate.name}"


def _is_about(phrase: RejectedPhrase, new: _NewName, diff: ReviewedDiff, *, cited: bool) -> bool:
    """Whether a phrase rejects a name, and the diff is about the rest of its words, too.

    It is if the decision cites the file.
    """
    own = {strip_inflection(new.name.lower())}
    rest = (phrase.stems | phrase.about) - own
    if not own & (phrase.stems - phrase.about):
        return False
    words: set[str] = set()
    for file in diff.files if rest and not cited else ():
        if file.path == new.path or file.language:
            added = " ".join(text for _, text in file.numbered_added_lines)[:100_000]
            # "session_store.py" is about sessions; another file of the diff, only if it says so.
            uses = file.path == new.path or new.how == "depends on"
            parts = words_and_identifier_parts(file.path) if uses else file.path.split("/")
            words |= conflict.words_by_stem(" ".join([*parts, added])).keys()
    return cited or rest <= words


def _new_names(diff: ReviewedDiff, limit: TimeLimit) -> Iterator[_NewName]:
    """The modules and packages that the diff uses and its files did not use before."""
    for file in limit.items_while_time_left(diff.files, "what they import"):
        if file.path.rpartition("/")[2] in manifests.NAMES:
            yield from _new_dependencies(file)
        elif file.is_source and file.added_ranges:
            before = {
                earlier.module for earlier in file.definitions_and_imports(after_diff=False).imports
            }
            for use in file.definitions_and_imports().imports:
                if file.is_added_line(use.line) and use.module not in before:
                    for name in _spellings(use.module):
                        yield _NewName(name, file.path, use.line, "imports")


def _spellings(module: str) -> Sequence[str]:
    """A module and the package that it is in: ``django.db`` and ``django``."""
    if module.startswith("."):
        return ()
    parts = module.split("/") if "/" in module else module.split(".")
    scoped = module.startswith("@") and len(parts) > 1
    return tuple(dict.fromkeys((module, "/".join(parts[:2]) if scoped else parts[0], parts[-1])))


def _new_dependencies(file: ReviewedFile) -> Iterator[_NewName]:
    before, after = (
        manifests.read_manifest(file.path, file_filter.decode_text(data)).dependencies
        if data
        else ()
        for data in (file.old, file.new)
    )
    for name in after:
        if name not in before:
            lines = (number for number, text in file.numbered_added_lines if name in text)
            yield _NewName(name, file.path, next(lines, 0), "depends on")
