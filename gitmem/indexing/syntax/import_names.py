"""Which name of a module an import makes known, and under which name it is known in the file.

The query tells the module and where the statement stands; what it is called here (``as``) stands
in the statement's own words.
"""

from __future__ import annotations

from re import DOTALL, compile

from gitmem.indexing.syntax import import_time
from gitmem.indexing.syntax.import_bindings import go_package

# What a name stands for that is no name of the module: the module itself, or all of its names.
WHOLE, ALL = "", "*"
_STATEMENT = 64_000
_AS = compile(r"\s+as\s+")
_COMMENT = compile(r"#[^\n]*|//[^\n]*|/\*.*?\*/", DOTALL)
_NAMED = r"([\w$]+|\{[^{}]*\})\s*(?::[^=\n]+)?=\s*(?:await\s+)?"
_BEFORE = compile(_NAMED + "$")
_REQUIRED = compile(_NAMED + r"(?:import|require)\s*\(")
_EXPORTED = compile(r"module\.exports\s*=\s*$")
_BRACES = compile(r"\{(.*?)\}", DOTALL)
_FROM = compile(r"\bfrom\s*[\"'`]")
_STAR = compile(r"\*\s*as\s+([\w$]+)")
_WORDS = compile(r"[\w$]+")
_TYPE = compile(r"^type\s+(?!as\s)")

_SCRIPTS = ("javascript", "typescript", "tsx")

Taken = tuple[str, str, str]


def taken(
    grammar: str, data: bytes, span: tuple[int, int], module: str, kind: str
) -> list[tuple[str, Taken]]:
    """(kind, (module, name in it, name here)) for each name that a statement makes known.

    ``span`` has the first and last byte of the statement, ``kind`` is how it stands there; what is
    a type alone by its words is a type-import. The name is "" for the module itself and ``*`` for
    all of its names; the name here is "" where there is none.
    """
    start, stop = span
    words = data[start : min(stop, start + _STATEMENT)].decode("utf-8", "replace")
    words = _COMMENT.sub(" ", words) if grammar != "c" else words
    if grammar not in _SCRIPTS:
        return [(kind, one) for one in _plain(grammar, words, module)]
    before = data[max(0, start - 400) : start].decode("utf-8", "replace")
    types = import_time.types_of(words.lstrip())
    return [
        (import_time.TYPES if types is None or one[2] in types else kind, one)
        for one in _script(words, module, before)
    ]


def _plain(grammar: str, words: str, module: str) -> list[Taken]:
    if grammar == "python":
        return _python(words, module)
    if grammar == "rust":
        return [_rust(path, here) for path, here in _use(words)]
    if grammar == "go":
        alias = words.partition('"')[0].strip()
        return [(module, ALL if alias == "." else WHOLE, alias or go_package(module))]
    if grammar in ("java", "kotlin"):
        return _dotted(words)
    if grammar == "php":
        return _php(words, module)
    return [(module, ALL, "")]


def _python(words: str, module: str) -> list[Taken]:
    if words.startswith("import"):
        for part in words[6:].split(","):
            name, *alias = _AS.split(part.strip())
            if name.strip() == module:
                return [(module, WHOLE, alias[0].strip() if alias else module)]
        return [(module, WHOLE, module)]
    listed = (
        words.partition("import")[2] if "import" not in module else words.rpartition("import")[2]
    )
    found: list[Taken] = []
    for part in listed.strip(" \t\r\n()\\").split(","):
        name, *alias = _AS.split(part.strip(" \t\r\n()\\"))
        if name == "*":
            found.append((module, ALL, ""))
        elif name:
            found.append((module, name, alias[0].strip() if alias else name))
    return found


def _script(words: str, module: str, before: str) -> list[Taken]:
    head = words.lstrip()
    if head.startswith(("import", "export")) and not head.startswith(("import(", "import (")):
        return _clause(head, module)
    if _EXPORTED.search(before):
        return [(module, "=", "default")]
    required = _BEFORE.search(before) or _REQUIRED.match(words)
    if required is None:
        return [(module, WHOLE, "")]
    if not required[1].startswith("{"):
        return [(module, "=", required[1])]
    return _listed(required[1].strip("{}"), module, ":")


def _clause(words: str, module: str) -> list[Taken]:
    end = _FROM.search(words)
    clause = words[6 : end.start()] if end else ""
    exported = words.startswith("export")
    found: list[Taken] = []
    if star := _STAR.search(clause):
        found.append((module, WHOLE, star[1]))
    elif exported and "*" in clause:
        found.append((module, ALL, ""))
    if braces := _BRACES.search(clause):
        found += _listed(braces[1], module, " as ")
    first = _WORDS.match(clause.strip().removeprefix("type ").strip())
    if first and not exported and first[0] not in ("type", "typeof"):
        found.append((module, "default", first[0]))
    return found or [(module, WHOLE, "")]


def _listed(words: str, module: str, renamed: str) -> list[Taken]:
    found: list[Taken] = []
    for part in words.split(","):
        bare = _TYPE.sub("", part.strip()).partition("=")[0]
        name, _, here = bare.partition(renamed)
        if name.strip():
            found.append((module, name.strip(), here.strip() or name.strip()))
    return found


def _use(words: str) -> list[tuple[str, str]]:
    """The paths of a ``use`` of Rust, each with the name by which it is known here."""
    body = words.partition("use")[2] if "use" in words else words.partition("crate")[2]
    body = body.strip().rstrip(";").strip()
    found: list[tuple[str, str]] = []
    open_: list[tuple[str, str]] = [("", body)]
    while open_ and len(found) < 500:
        prefix, text = open_.pop()
        for part in _split(text):
            head, brace, rest = part.partition("{")
            if brace:
                open_.append((prefix + head.strip(), rest.rpartition("}")[0]))
                continue
            path, *alias = _AS.split(part.strip())
            if path:
                found.append((prefix + path.strip(), alias[0].strip() if alias else ""))
    return found


def _split(text: str) -> list[str]:
    """The parts between commas that stand in no braces."""
    parts, depth, last = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            parts.append(text[last:at])
            last = at + 1
    return [*parts, text[last:]]


def _rust(path: str, here: str) -> Taken:
    parts = path.split("::")
    if parts[-1] == "self":
        parts.pop()
    module, name = "::".join(parts[:-1]), parts[-1] if parts else ""
    if name == "*":
        return module, ALL, ""
    return module, name, here or name


def _dotted(words: str) -> list[Taken]:
    """``import [static] a.b.C [as D]`` of Java and Kotlin."""
    body = words.partition("import")[2].strip().rstrip(";").strip()
    static = body.startswith("static ")
    path, *alias = _AS.split(body.removeprefix("static ").strip())
    module, _, name = path.replace(" ", "").rpartition(".")
    if name == "*":
        return [(module, "static *" if static else ALL, "")]
    return [(module, name, alias[0].strip() if alias else name)]


def _php(words: str, module: str) -> list[Taken]:
    if not words.lstrip().startswith("use"):
        return [(module, ALL, "")]
    body = words.partition("use")[2].strip().rstrip(";").strip()
    body = body.removeprefix("function ").removeprefix("const ").strip()
    prefix, brace, rest = body.partition("{")
    found: list[Taken] = []
    for part in (rest.rpartition("}")[0] if brace else body).split(","):
        path, *alias = _AS.split(part.strip())
        whole = (prefix.strip() if brace else "") + path.strip()
        space, _, name = whole.lstrip("\\").rpartition("\\")
        if name:
            found.append((space, name, alias[0].strip() if alias else name))
    return found
