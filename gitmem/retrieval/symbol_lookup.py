"""Finding a name of code: where it is defined, who calls or imports it, what tests or sets it.

From what syntax trees told the index. A name that is written otherwise, prefix match, or was typed
wrong is found after the exact one.
"""

import posixpath
from collections.abc import Collection, Iterable, Sequence

from gitmem.app import App
from gitmem.code_relations import file_links, graph_target, relations
from gitmem.code_relations.by_name import KNOWN, Place
from gitmem.code_relations.graph_target import GraphTarget
from gitmem.errors import InvalidInput
from gitmem.retrieval import symbol_tests
from gitmem.retrieval.hit_view import HitItem, readable_path
from gitmem.retrieval.question import Scope
from gitmem.retrieval.symbol_mentions import MOST, lines_of, mentions, ordered, references
from gitmem.search import file_kinds, fuzzy, query
from gitmem.search.question import Asked, qualifiers
from gitmem.store.code import chunks, code_search, symbols
from gitmem.store.code.symbols import Import, Mention, Symbol

# Kinds in the order in which they are meant when a name stands for several.
_ORDER = ("class", "struct", "interface", "trait", "protocol", "enum", "type", "function", "method")
# Files that a path without its folders may mean.
_FEW = 5
_EXACT, _WRITTEN_OTHERWISE, _BEGINS, _TYPED_WRONG = 1.0, 0.9, 0.7, 0.6
# The same name, but in another class than the question says.
_ELSEWHERE = 0.5
# A line of configuration that only mentions the name, and how many lines of it are shown.
_MENTIONS, _SHOWN = 0.6, 3
_MAYBE = "calls something of this name"


def find(app: App, mode: str, asked: Asked, scope: Scope, kinds: Sequence[str]) -> list[HitItem]:
    """The hits of symbol, callers, importers, tests or config, the best first.

    Raises InvalidInput without a name.
    """
    name = asked.symbols[0] if asked.symbols else ""
    if not (name or asked.single):
        # The first word that is the name of something: ``the Client class`` asks for Client.
        found = (symbols.by_key(app.store, app.worktree, word, 1) for word in asked.words)
        name = next((one[0].name for one in found if one), "")
    if not name and mode != "importers":
        raise InvalidInput(
            "There is no name to search for.", f"Give one, as in `gitmem search App --mode {mode}`."
        )
    if mode == "symbol":
        inside = qualifiers(asked.text)
        return _definitions(app, asked.symbols or asked.words, scope, kinds, inside)
    if mode == "callers":
        return _callers(app, asked.text if asked.single else name, name, scope)
    if mode == "importers":
        return _importers(app, asked.text, scope)
    if mode == "tests":
        return symbol_tests.find(app, name, scope)
    # A key is one with its dots: ``server.port``.
    dotted = asked.text.strip() if asked.single and "." in asked.text else name
    return _config(app, dotted, scope)


def _definitions(
    app: App, names: Sequence[str], scope: Scope, kinds: Sequence[str], inside: Sequence[str]
) -> list[HitItem]:
    found: dict[int, tuple[float, str, Symbol]] = {}
    for name in names:
        for score, why, one in _placed(_graded(app, name), inside):
            fits = scope.holds(one.path, one.language) and (not kinds or one.kind in kinds)
            if fits and score > found.get(one.id, (0.0,))[0]:
                found[one.id] = (score, why, one)
    ranked = sorted(found.values(), key=lambda row: _rank(row[0], row[2]))
    return [_definition(score, why, one) for score, why, one in ranked]


def _placed(
    graded: Iterable[tuple[float, str, Symbol]], inside: Sequence[str]
) -> Iterable[tuple[float, str, Symbol]]:
    """Lower what stands in something else than was said: Client.send where Session.send was."""
    rows = list(graded)
    if inside and any(_stands_in(one, inside[-1]) for _, _, one in rows):
        for score, why, one in rows:
            if _stands_in(one, inside[-1]):
                yield score, why, one
            else:
                yield score * _ELSEWHERE, f"{why}, not in {inside[-1]}", one
    else:
        yield from rows


def _stands_in(one: Symbol, outer: str) -> bool:
    """Whether a definition is a member of a type, or in a module, of that name."""
    low = symbols.key(outer)
    words = (*one.container.replace(".", " ").split(), *_stem(one.path).split("/"))
    return any(symbols.key(word) == low for word in words)


def _graded(app: App, name: str) -> Iterable[tuple[float, str, Symbol]]:
    store, tree = app.store, app.worktree
    same = [
        one for spelt in symbols.spellings(name) for one in symbols.by_key(store, tree, spelt, MOST)
    ]
    for one in same:
        exact = one.name in symbols.spellings(name)
        yield (
            (_EXACT, "exact name", one)
            if exact
            else (_WRITTEN_OTHERWISE, "case-insensitive match", one)
        )
    for one in symbols.starting_with(store, tree, name, MOST):
        yield _BEGINS, "prefix match", one
    if not same:
        low = symbols.key(name)
        for one in _near(app, low):
            alike = fuzzy.jaro_winkler(low, symbols.key(one.name))
            if alike >= fuzzy.ALIKE:
                yield _TYPED_WRONG * alike, f"similar name {alike:.2f}", one


def _near(app: App, low: str) -> list[Symbol]:
    """Definitions that begin as a name that was typed wrong does; at least with its letter."""
    found = symbols.starting_with(app.store, app.worktree, low[:2], 20 * MOST)
    return found or symbols.starting_with(app.store, app.worktree, low[:1], 20 * MOST)


def _rank(score: float, one: Symbol) -> tuple[float, int, bool, int, str, int]:
    lowered = file_kinds.lowered(one.path, one.language, {}).factor
    place = _ORDER.index(one.kind) if one.kind in _ORDER else len(_ORDER)
    return -score * lowered, place, not one.exported, len(one.name), one.path, one.start_line


def _definition(score: float, why: str, one: Symbol) -> HitItem:
    return HitItem(
        kind="code",
        path=readable_path(one.path),
        start_line=one.start_line,
        end_line=one.end_line,
        symbol=one.name,
        context=f"{one.kind} in {one.container}" if one.container else one.kind,
        score=round(score, 4),
        snippet="\n".join(part for part in (one.signature, one.doc) if part),
        why=(why,),
    )


def _callers(app: App, said: str, name: str, scope: Scope) -> list[HitItem]:
    """As `gitmem graph` tells them; of what is not defined here the calls of its name."""
    defined = graph_target.definitions(app, said) or graph_target.definitions(app, name)
    if not defined:
        return mentions(app, references(app, name, ("call",)), scope, "calls it")
    nodes = tuple(graph_target.of_symbols(app, defined))
    places = relations.call_places(app, GraphTarget(said, "", tuple(defined), nodes))
    known = {one.path for one in places if one.confidence >= KNOWN}
    return [
        *_lines(app, [one for one in places if one.path in known], scope, "calls it"),
        *_lines(app, [one for one in places if one.path not in known], scope, _MAYBE),
    ]


def _lines(app: App, places: Iterable[Place], scope: Scope, why: str) -> list[HitItem]:
    """The places in files that may be shown, a hit for each file."""
    lines: dict[str, set[int]] = {}
    for one in places:
        lines.setdefault(one.path, set()).add(one.line)
    found = [Mention(path, "", "call", tuple(sorted(each))) for path, each in lines.items()]
    return mentions(app, found, scope, why)


def _importers(app: App, text: str, scope: Scope) -> list[HitItem]:
    """By the module's name as it is written in imports, or by the path of its file."""
    wanted = text.strip().strip("\"'`")
    store, tree = app.store, app.worktree
    if chunks.shown(store, tree, {wanted}):
        nodes = tuple(graph_target.of_file(app, wanted))
        users = file_links.imported_by(app, GraphTarget(wanted, wanted, (), nodes))
        if users:
            places = [Place(one.path, one.line, "", one.confidence, "") for one in users]
            return _lines(app, places, scope, "imports it")
    targets = [wanted, *chunks.ending(store, tree, [wanted], _FEW)]
    modules = {name for one in targets for name in _modules(one)}
    stems = {_stem(one) for one in targets}
    found: list[Import] = [
        one
        for one in symbols.importers(store, tree, sorted(modules), MOST)
        if not one.module.startswith(".") or one.module == wanted or _leads(one, stems)
    ]
    known = chunks.shown(store, tree, {one.path for one in found})
    by_path: dict[str, list[int]] = {}
    for one in found:
        if one.path in known and scope.holds(one.path, known[one.path].language):
            by_path.setdefault(one.path, []).append(one.line)
    hits = [
        lines_of(app, path, tuple(sorted(set(lines))), known[path].language, "imports it")
        for path, lines in by_path.items()
    ]
    return ordered(hits)


def _modules(text: str) -> list[str]:
    """How a file or module may be named in an import: ``a/b.py`` -> a.b, a/b, b, ./b, .b."""
    parts = [part for part in _stem(text).split("/") if part]
    names = [text]
    for start in range(len(parts)):
        tail = parts[start:]
        names += [joint.join(tail) for joint in (".", "/", "::")]
        names += ["./" + "/".join(tail), "../" + "/".join(tail), "../../" + "/".join(tail)]
        names += ["." * level + ".".join(tail) for level in (1, 2, 3)]
    return list(dict.fromkeys(names))


def _stem(text: str) -> str:
    """A path or the name of a module as a path without its ending, ``a/b`` for both."""
    stem = text.rpartition(".")[0] if "/" in text and "." in text.rpartition("/")[2] else text
    stem = stem.removesuffix("/__init__").removesuffix("/index").removesuffix("/mod")
    return stem if "/" in stem else stem.replace("::", "/").replace(".", "/")


def _leads(one: Import, stems: Collection[str]) -> bool:
    """Whether a relative import, read from where it stands, is of one of the files."""
    folder = one.path.rpartition("/")[0]
    if one.module.startswith(("./", "../")):
        place = posixpath.normpath(posixpath.join(folder, one.module))
    else:  # Python: a dot for this folder, one more for each above it
        name = one.module.lstrip(".")
        up = "../" * (len(one.module) - len(name) - 1)
        place = posixpath.normpath(posixpath.join(folder, up, name.replace(".", "/")))
    return _stem(place) in stems or place in stems


def _config(app: App, name: str, scope: Scope) -> list[HitItem]:
    """Lines of configuration that set a name, then those that mention it."""
    expression = " AND ".join(query.quoted(part) for part in name.split(".") if part.strip())
    best = code_search.match(app.store, "chunk", expression, MOST)
    heads = chunks.heads(app.store, app.worktree, [number for number, _ in best])
    hits = []
    texts = chunks.texts(app.store, list(heads))
    for number, _ in best:
        head = heads.get(number)
        if head is None or not scope.holds(head.path, head.language):
            continue
        if "config" not in file_kinds.kinds(head.path, head.language):
            continue
        # A piece may be found by its path alone.
        if (found := _line_with(texts[number], name)) is None:
            continue
        at, sets = found
        lines = texts[number].split("\n")[at : at + _SHOWN]
        hits.append(
            HitItem(
                kind="code",
                path=readable_path(head.path),
                start_line=head.start_line + at,
                end_line=head.start_line + at + len(lines) - 1,
                score=1.0 if sets else _MENTIONS,
                snippet="\n".join(lines),
                why=("sets it" if sets else "mentions it",),
            )
        )
    return sorted(hits, key=lambda one: -one.score)


def _line_with(text: str, name: str) -> tuple[int, bool] | None:
    """The first line that sets a name, else one that mentions it; however it is written.

    ``server.port`` may stand whole, or as ``port`` below ``server``.
    """
    lines = [_plain(line) for line in text.split("\n")]
    keys = [_plain(_key(line)) for line in text.split("\n")]
    wanted = _plain(name)
    sets = [at for at, key in enumerate(keys) if key.endswith(wanted)]
    *above, last = map(_plain, name.split("."))
    if not sets and above:
        sets = [
            at
            for at, key in enumerate(keys)
            if key == last and all(any(part in line for line in lines[:at]) for part in above)
        ]
    if sets:
        return sets[0], True
    return next(((at, False) for at, line in enumerate(lines) if wanted in line), None)


def _key(line: str) -> str:
    """What stands before the first colon or equals sign; empty where there is none."""
    at = min((place for mark in ":=" if (place := line.find(mark)) >= 0), default=0)
    return line[:at]


def _plain(text: str) -> str:
    """Letters and digits in lower case: max-size, maxSize and MAX_SIZE are one name."""
    return "".join(filter(str.isalnum, text)).lower()
