"""Looking up a name of code: its definitions, callers, importers, tests or configuration.

Exact names come before other spellings, prefixes and similar names.
"""

import posixpath
import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from gitmem.app import App
from gitmem.code_relations import file_links, graph_target, relations
from gitmem.code_relations.by_name import KNOWN, NameOccurrence
from gitmem.code_relations.graph_target import GraphTarget
from gitmem.errors import InvalidInput
from gitmem.languages.index import PATTERNED
from gitmem.retrieval.hit_view import HitItem, escape_path
from gitmem.retrieval.question import FileScope
from gitmem.retrieval.symbols import hit_definitions, symbol_kinds, symbol_tests
from gitmem.retrieval.symbols.symbol_mentions import (
    MOST,
    find_mentions,
    make_hit_of_lines,
    make_mention_hits,
    sort_hits_by_score,
)
from gitmem.search import file_kinds, fuzzy, query, question_forms
from gitmem.search.question import ParsedQuestion, qualifiers_of_dotted_name
from gitmem.store.code import chunks, code_search, symbols
from gitmem.store.code.chunks import ChunkMetadata
from gitmem.store.code.symbols import ImportStatement, NameMention, Symbol
from gitmem.text.stop_words import parse_words

# Kinds of definitions, the likeliest first.
_ORDER = ("class", "struct", "interface", "trait", "protocol", "enum", "type", "function", "method")
# Files that a path without its folders may mean.
_FEW = 5
_EXACT, _WRITTEN_OTHERWISE, _BEGINS, _TYPED_WRONG = 1.0, 0.9, 0.7, 0.6
# Factor of a definition that was read by a pattern of lines, without a grammar.
_BY_PATTERN = 0.95
# Factor of the same name in another class.
_ELSEWHERE = 0.5
# A line of configuration that only mentions the name, and how many lines of it are shown.
_MENTIONS, _SHOWN = 0.6, 3
# A name with its module or class, in a sentence.
_DOTTED = re.compile(r"\b[^\W\d]\w*(?:\.[^\W\d]\w*)+\b")
_QUALIFIED = re.compile(r"::|[.#:/]")
# Words that say what is looked for, and of what kind it is.
_OF_THE_REQUEST = parse_words(
    "test tests tested testing config configuration configured setting settings option options "
    "caller callers call calls called usage usages importer importers import imports imported "
    "class function method module file package type struct trait interface enum constant variable"
)
_MAYBE = "calls something of this name"


def look_up_symbols(
    app: App, mode: str, question: ParsedQuestion, scope: FileScope, kinds: Sequence[str]
) -> list[HitItem]:
    """The hits for the name in a question, the best first.

    ``mode`` says what to look up: symbol (its definitions), callers, importers, tests or config.
    Raises InvalidInput where the question has no name.
    """
    name = code_name_in_question(app, question)
    if not name and mode != "importers":
        raise InvalidInput(
            "There is no name to search for.", f"Give one, as in `gitmem search App --mode {mode}`."
        )
    if mode == "symbol":
        inside = qualifiers_of_dotted_name(question.text)
        return _definitions(app, question.symbols or question.words, scope, kinds, inside)
    if mode == "callers":
        last = question.symbols[0] if question.is_single_name else _QUALIFIED.split(name)[-1]
        return _callers(app, question.text if question.is_single_name else name, last, scope)
    if mode == "importers":
        target = question.text.strip() if question.is_single_name else name
        # Of a module or file, else of the name.
        return _importers(app, target, scope) or symbol_kinds.find_imports(app, (target,), scope)
    if mode == "tests":
        return symbol_tests.find_tests_of_symbol(app, name, scope)
    # A key is one with its dots: ``server.port``.
    dotted = question.text.strip() if question.is_single_name and "." in question.text else name
    return _config(app, dotted, scope)


def code_name_in_question(app: App, question: ParsedQuestion) -> str:
    """The name of code that a question is about; empty where it consists of plain words.

    That is the name in a known form (``who calls X``), a word in a spelling of code or with dots, a
    word with a capital that is defined, words that are the parts of a defined name (``retry
    link``), or a single word beside those of the request: ``the Client class``.
    """
    if question.is_single_name:
        return question.symbols[0] if question.symbols else ""
    form = question_forms.match_known_question(question.text)
    name = form and (form.values.get("name") or form.values.get("target"))
    if name:
        return str(name)
    if named := (*question.paths, *_DOTTED.findall(question.text), *question.symbols):
        return str(named[0])
    words = [word for word in question.words if word not in _OF_THE_REQUEST]
    every = re.findall(r"\w+", question.text.lower())
    # Stop words too: ``make client`` is makeClient.
    joined = ("".join(word for word in every if word not in _OF_THE_REQUEST), "".join(words))
    for word in (*question.names, *joined):
        if word.lower() not in _OF_THE_REQUEST:
            rows = symbols.definitions_in_any_spelling(app.store, app.worktree, word, 1)
            if rows and (word in joined or rows[0].name == word):
                return rows[0].name
    return words[0] if len(words) == 1 else ""


def _definitions(
    app: App, names: Sequence[str], scope: FileScope, kinds: Sequence[str], inside: Sequence[str]
) -> list[HitItem]:
    found: dict[int, tuple[float, str, Symbol]] = {}
    of_kind = symbol_kinds.make_symbol_kind_filter(kinds)
    for name in names:
        for score, why, symbol in _lower_misplaced(_grade(app, name), inside):
            fits = scope.contains_file(symbol.path, symbol.language) and of_kind(symbol)
            if fits and score > found.get(symbol.id, (0.0,))[0]:
                found[symbol.id] = (score, why, symbol)
    ranked = sorted(found.values(), key=lambda row: _rank(row[0], row[2]))
    hits = [_definition(score, why, symbol) for score, why, symbol in ranked]
    if symbol_kinds.TEST in kinds and not hits:
        # Where tests are no definitions: `test("...")` of JavaScript.
        hits = [
            hit for name in names for hit in symbol_tests.find_tests_of_symbol(app, name, scope)
        ]
    return hits + (
        symbol_kinds.find_imports(app, names, scope) if symbol_kinds.IMPORT in kinds else []
    )


def _lower_misplaced(
    graded: Iterable[tuple[float, str, Symbol]], inside: Sequence[str]
) -> Iterable[tuple[float, str, Symbol]]:
    """Lower definitions in another container, if some are in the one asked for."""
    rows = list(graded)
    if inside and any(_stands_in(symbol, inside[-1]) for _, _, symbol in rows):
        for score, why, symbol in rows:
            if _stands_in(symbol, inside[-1]):
                yield score, why, symbol
            else:
                yield score * _ELSEWHERE, f"{why}, not in {inside[-1]}", symbol
    else:
        yield from rows


def _stands_in(symbol: Symbol, outer: str) -> bool:
    """Whether a definition is a member of a type, or in a module, of that name."""
    low = symbols.normalise_name(outer)
    words = (*symbol.container.replace(".", " ").split(), *_stem(symbol.path).split("/"))
    return any(symbols.normalise_name(word) == low for word in words)


def _grade(app: App, name: str) -> Iterable[tuple[float, str, Symbol]]:
    store, tree = app.store, app.worktree
    same = [
        symbol
        for spelt in symbols.javascript_name_spellings(name)
        for symbol in symbols.definitions_in_any_spelling(store, tree, spelt, MOST)
    ]
    for symbol in same:
        exact = symbol.name in symbols.javascript_name_spellings(name)
        yield (
            (_EXACT, "exact name", symbol)
            if exact
            else (_WRITTEN_OTHERWISE, "case-insensitive match", symbol)
        )
    for symbol in symbols.definitions_with_prefix(store, tree, name, MOST):
        yield _BEGINS, "prefix match", symbol
    if not same:
        low = symbols.normalise_name(name)
        for symbol in _similar_names(app, low):
            alike = fuzzy.jaro_winkler(low, symbols.normalise_name(symbol.name))
            if alike >= fuzzy.ALIKE:
                yield _TYPED_WRONG * alike, f"similar name {alike:.2f}", symbol


def _similar_names(app: App, low: str) -> list[Symbol]:
    """Definitions that begin as a name that was typed wrong does; at least with its letter."""
    found = symbols.definitions_with_prefix(app.store, app.worktree, low[:2], 20 * MOST)
    return found or symbols.definitions_with_prefix(app.store, app.worktree, low[:1], 20 * MOST)


def _rank(score: float, symbol: Symbol) -> tuple[float, int, bool, int, str, int]:
    lowered = file_kinds.rank_factor_of_file(symbol.path, symbol.language, {}).factor
    place = _ORDER.index(symbol.kind) if symbol.kind in _ORDER else len(_ORDER)
    return (
        -score * lowered,
        place,
        not symbol.exported,
        len(symbol.name),
        symbol.path,
        symbol.start_line,
    )


def _definition(score: float, why: str, symbol: Symbol) -> HitItem:
    unsure = symbol.language in PATTERNED
    return HitItem(
        kind="code",
        path=escape_path(symbol.path),
        start_line=symbol.start_line,
        end_line=symbol.end_line,
        symbol=symbol.name,
        context=f"{symbol.kind} in {symbol.container}" if symbol.container else symbol.kind,
        score=round(score * (_BY_PATTERN if unsure else 1), 4),
        snippet="\n".join(part for part in (symbol.signature, symbol.doc) if part),
        why=(why, "read without a grammar") if unsure else (why,),
        language=symbol.language,
        definition=hit_definitions.make_definition_item(symbol),
    )


def _callers(app: App, text: str, name: str, scope: FileScope) -> list[HitItem]:
    """The callers as in `gitmem graph`; of an undefined name the calls by name."""
    defined = graph_target.find_definitions(app, text) or graph_target.find_definitions(app, name)
    if not defined:
        return make_mention_hits(app, find_mentions(app, name, ("call",)), scope, "calls it")
    nodes = tuple(graph_target.graph_nodes_of_definitions(app, defined))
    places = relations.find_call_occurrences(app, GraphTarget(text, "", tuple(defined), nodes))
    known = {place.path for place in places if place.confidence >= KNOWN}
    return [
        *_lines(app, [place for place in places if place.path in known], scope, "calls it"),
        *_lines(app, [place for place in places if place.path not in known], scope, _MAYBE),
    ]


def _lines(app: App, places: Iterable[NameOccurrence], scope: FileScope, why: str) -> list[HitItem]:
    """The places in files that may be shown, a hit for each file."""
    lines: dict[str, set[int]] = {}
    for place in places:
        lines.setdefault(place.path, set()).add(place.line)
    found = [NameMention(path, "", "call", tuple(sorted(each))) for path, each in lines.items()]
    return make_mention_hits(app, found, scope, why)


def _importers(app: App, text: str, scope: FileScope) -> list[HitItem]:

    target = text.strip().strip("\"'`")
    store, tree = app.store, app.worktree
    indexed = chunks.indexed_files_by_path(store, tree, {target})
    if path := target if indexed else graph_target.find_module_file(app, target):
        nodes = tuple(graph_target.graph_nodes_of_file(app, path))
        users = file_links.importers_of_file(app, GraphTarget(path, path, (), nodes))
        if users:
            places = [
                NameOccurrence(user.path, user.line, "", user.confidence, "") for user in users
            ]
            return _lines(app, places, scope, "imports it")
    targets = [target, *chunks.paths_with_suffixes(store, tree, [target], _FEW)]
    modules = {name for target in targets for name in _modules(target)}
    stems = {_stem(target) for target in targets}
    found: list[ImportStatement] = [
        statement
        for statement in symbols.importers_of_modules(store, tree, sorted(modules), MOST)
        if not statement.module.startswith(".")
        or statement.module == target
        or _leads_to(statement, stems)
    ]
    known = chunks.indexed_files_by_path(store, tree, {statement.path for statement in found})
    by_path: dict[str, list[int]] = {}
    for statement in found:
        if statement.path in known and scope.contains_file(
            statement.path, known[statement.path].language
        ):
            by_path.setdefault(statement.path, []).append(statement.line)
    hits = [
        make_hit_of_lines(app, path, tuple(sorted(set(lines))), known[path].language, "imports it")
        for path, lines in by_path.items()
    ]
    return sort_hits_by_score(hits)


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


def _leads_to(statement: ImportStatement, stems: Collection[str]) -> bool:
    """Whether a relative import, read from where it stands, is of one of the files."""
    folder = statement.path.rpartition("/")[0]
    if statement.module.startswith(("./", "../")):
        place = posixpath.normpath(posixpath.join(folder, statement.module))
    else:  # Python: a dot for this folder, one more for each above it
        name = statement.module.lstrip(".")
        up = "../" * (len(statement.module) - len(name) - 1)
        place = posixpath.normpath(posixpath.join(folder, up, name.replace(".", "/")))
    return _stem(place) in stems or place in stems


def _config(app: App, name: str, scope: FileScope) -> list[HitItem]:
    """Lines of configuration that set a name, then those that mention it.

    Where no file of configuration has it, the lines of code and documents that set or mention it.
    """
    expression = " AND ".join(
        query.quote_fts_term(part) for part in name.split(".") if part.strip()
    )
    best = code_search.best_matching_rows(app.store, "chunk", expression, MOST)
    heads = chunks.chunk_metadata_by_row_number(
        app.store, app.worktree, [number for number, _ in best]
    )
    texts = chunks.chunk_texts(app.store, list(heads))
    shown = [
        head
        for number, _ in best
        if (head := heads.get(number)) and scope.contains_file(head.path, head.language)
    ]
    configured = [
        head for head in shown if "config" in file_kinds.kinds_of_file(head.path, head.language)
    ]
    hits = _setting_lines(configured, texts, name) or _setting_lines(shown, texts, name)
    return sorted(hits, key=lambda hit: -hit.score)


def _setting_lines(
    heads: Iterable[ChunkMetadata], texts: Mapping[int, str], name: str
) -> list[HitItem]:
    """A hit for each chunk with a line that sets or mentions a name."""
    hits = []
    for head in heads:
        # A piece may be found by its path alone.
        if (found := _line_with(texts[head.id], name)) is None:
            continue
        at, sets = found
        lines = texts[head.id].split("\n")[at : at + _SHOWN]
        hits.append(
            HitItem(
                kind="code",
                path=escape_path(head.path),
                start_line=head.start_line + at,
                end_line=head.start_line + at + len(lines) - 1,
                score=1.0 if sets else _MENTIONS,
                snippet="\n".join(lines),
                why=("sets it" if sets else "mentions it",),
                language=head.language,
            )
        )
    return hits


def _line_with(text: str, name: str) -> tuple[int, bool] | None:
    """The first line that sets a name, else one that mentions it; however it is written.

    ``server.port`` may stand whole, or as ``port`` below ``server``.
    """
    lines = [_plain(line) for line in text.split("\n")]
    keys = [_plain(_key(line)) for line in text.split("\n")]
    plain_name = _plain(name)
    sets = [at for at, key in enumerate(keys) if key.endswith(plain_name)]
    *above, last = map(_plain, name.split("."))
    if not sets and above:
        sets = [
            at
            for at, key in enumerate(keys)
            if key == last and all(any(part in line for line in lines[:at]) for part in above)
        ]
    if sets:
        return sets[0], True
    return next(((at, False) for at, line in enumerate(lines) if plain_name in line), None)


def _key(line: str) -> str:
    """What stands before the first colon or equals sign; empty where there is none."""
    at = min((place for mark in ":=" if (place := line.find(mark)) >= 0), default=0)
    return line[:at]


def _plain(text: str) -> str:
    """Letters and digits in lower case: max-size, maxSize and MAX_SIZE are one name."""
    return "".join(filter(str.isalnum, text)).lower()
