"""How the definitions gitmem reads compare with universal-ctags, over the kinds both know.

``python -m tests.bench.definitions --repository PATH... [--language L] [--show N] [--table]``

A definition is its file, its name and the line of its name. Recall: the part of ctags' definitions
that gitmem has too; precision: the part of gitmem's that ctags has too. Neither is the truth: what
they disagree on is listed by side, language and kind, with N examples each, to be read. Where a
language has a rule (``TOLD``) for what a definition looks like, each entry that only one of them
has is held against the text of its line: "precision by the text" counts as right what ctags has or
the line confirms, "recall by the text" takes only those of ctags' others that the line confirms.
Needs the ctags binary (universal-ctags).
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from gitmem.indexing.syntax import extract, grammars
from gitmem.languages import language as language_of

Place = tuple[str, str, int]  # path, name, line

# Grammar -> ctags' name of it, kinds of ctags to ask for, and gitmem's kinds that these mean.
COMPARED: dict[str, tuple[str, str, str]] = {
    "c": (
        "C",
        "macro enumerator function enum member prototype struct typedef union variable externvar",
        "macro constant function enum field struct type union variable",
    ),
    "cpp": (
        "C++",
        "macro enumerator function enum member prototype struct typedef union variable externvar "
        "class namespace alias",
        "macro constant function enum field struct type union variable class namespace method "
        "constructor",
    ),
    "csharp": (
        "C#",
        "class enumerator event field enum interface method namespace property struct",
        "class constant field enum interface method namespace property struct constructor",
    ),
    "go": (
        "Go",
        "func const type var struct interface member methodSpec talias",
        "function method constant type variable struct interface field",
    ),
    "java": (
        "Java",
        "annotation class enumConstant enum field interface method",
        "annotation class constant enum field interface method constructor",
    ),
    "javascript": (
        "JavaScript",
        "function class method constant variable generator getter setter field",
        "function class method constant variable field constructor",
    ),
    "python": (
        "Python",
        "class function member variable",
        "class function method constant variable field",
    ),
    "rust": (
        "Rust",
        "module struct typedef interface function enum enumerator variable constant macro field "
        "method",
        "module struct type trait function enum constant variable macro field method union",
    ),
    # Aliases are functions of gitmem; here documents are no definitions.
    "bash": ("Sh", "function alias", "function"),
    # Left out: tests (ctags knows those whose names are plain words) and implementations (ctags
    # has the protocol's name for them, gitmem the type's).
    "elixir": (
        "Elixir",
        "module function macro callback delegate exception guard protocol type operator",
        "module function macro method protocol type",
    ),
    # Left out: modules (ctags tells the first part of a name, gitmem the whole), classes, and the
    # methods of classes and instances, which ctags does not know.
    "haskell": ("Haskell", "constructor function type", "struct type member function field"),
    # Left out: entries of enums, which ctags does not know.
    "kotlin": (
        "Kotlin",
        "constant typealias class interface method object package variable",
        "constant type class enum interface method function object namespace variable property",
    ),
    "lua": ("Lua", "function", "function method"),
    # Left out: enums and their cases (ctags 5.9 does not know them), names of imports.
    "php": (
        "PHP",
        "class define function interface trait namespace variable",
        "class constant function method constructor interface trait namespace property",
    ),
    # Variables are left out: ctags tells those of functions too, and each time that one is set.
    "powershell": ("PowerShell", "function", "function"),
    "ruby": (
        "Ruby",
        "class method module alias accessor singletonMethod constant",
        "class method module property constant constructor function",
    ),
    # Left out: types, schemas and sequences, which ctags does not know.
    "sql": (
        "SQL",
        "table view function procedure trigger index field event",
        "table view function trigger index field",
    ),
    "tsx": ("TypeScript", "", ""),
    "typescript": (
        "TypeScript",
        "function class interface enum enumerator method namespace variable constant property "
        "alias generator",
        "function class interface enum constant method namespace variable property type field "
        "constructor",
    ),
}
COMPARED["tsx"] = COMPARED["typescript"]
# ctags (5.9) mistakes one thing for another: every object of JavaScript is a class, imports are
# aliases, the values of functions are told like the file's, and calls or comparisons look like
# definitions. Of a kind listed here it is believed only where the line looks so.
BELIEVED: dict[tuple[str, str], str] = {
    ("JavaScript", "class"): r"\bclass\b",
    ("JavaScript", "constant"): r"^(export |const )",
    ("JavaScript", "variable"): r"^(export |var |let )",
    ("JavaScript", "field"): r"^\s+(static )?#?\w+ =",
    ("TypeScript", "alias"): r"\btype \w+.*=",
    ("TypeScript", "constant"): r"^(export |const |declare )",
    ("TypeScript", "variable"): r"^(export |var |let |declare )",
    # Values of functions: not gitmem's, and PHP's are told only in closures.
    ("PHP", "variable"): r"\b(public|protected|private|var|static|readonly)\b.*\$",
    # `RUBY_ENGINE == "x"` and `KEY => 1` are no constants.
    ("Ruby", "constant"): r"^\s*[A-Z]\w*\s*(\|\|)?=(?![=~>])",
    # Columns, not the keys among them.
    ("SQL", "field"): r"(?i)^(?!\s*(fulltext |unique )?key\b)",
    ("SQL", "table"): r"(?i)^(?!.*\btype\b.*\bas\s+table\b)",
    # Not words, and what a declaration is about.
    ("Haskell", "function"): r"^(?!\s*(class|data|default|deriving|foreign|import|infix\w*|instance"
    r"|module|newtype|pattern|type)\b)\W*(\w+'*\W+)*?NAME(?!\w)",
    ("Haskell", "type"): r"^(data|newtype|type) +NAME\b",
    # Not the values that take an anonymous function in.
    ("Kotlin", "method"): r"\bfun\b",
    ("Lua", "function"): r"\bfunction\b.*NAME\W* *\(|NAME\W* *= *function\b",
    # `array=()` is a value.
    ("Sh", "function"): r"(^|\s)function\s|[^=\s]\s*\(\s*\)",
}
# gitmem's of a kind that ctags has, but not in this form: compared only where the line looks so.
COUNTED: dict[tuple[str, str], re.Pattern[str]] = {
    ("elixir", "module"): re.compile(r"^(?!.*\bdefimpl\b)"),  # ctags: the protocol's name
    ("kotlin", "function"): re.compile(r"^[^`]*$"),  # ctags names what is in backticks by the file
    ("kotlin", "method"): re.compile(r"^[^`]*$"),
    ("ruby", "property"): re.compile(r"\battr_(reader|writer|accessor)\b"),
}
# Grammars of several clauses: ctags tells each, gitmem one that goes from the first to the last.
CLAUSES = frozenset({"elixir", "haskell"})
# ctags' names that are no names: of what has none, or an option in the place of a name.
_NAMELESS = ("__anon", "Anonymous", "-", "<")
_MODIFIERS = (
    "(?:(?:export|default|declare|public|private|protected|static|abstract|override|readonly|async"
    "|get|set) +)*"
)
# What the line of a definition looks like: NAME stands for its name.
ANSWERS: dict[str, str] = {
    "Elixir": r"\b(def\w*|@(type|typep|opaque|(macro)?callback)) +\(?.*NAME",
    "Haskell": r"^\s*(NAME|\(NAME\))(\s.*)?=|^\s*(\w+, *)*(NAME|\(NAME\))(, *\w+)*\s*::|\b"
    r"(data|newtype|type)\b.*NAME|[=|]\s*NAME|`NAME`.*=",
    "JavaScript": r"\b(function\*?|class|const|let|var) +NAME\b"
    rf"|^\s*{_MODIFIERS}[#*]?[\"']?NAME[\"']?"
    r"\(.*\) *\{|NAME[\"']? *[=:] *(async *)?(function\b|class\b|\(.*=>|\w+ *=>)|^\s+#?NAME *=[^=]",
    "Kotlin": r"\b(class|constructor|fun|interface|object|typealias|val|var|package)\b.*NAME",
    "Lua": r"\bfunction\b.*NAME *\(|NAME[\"']?\]? *= *function\b",
    "PHP": r"\b(class|const|define|function|interface|namespace|trait|public|protected|private|var"
    r"|static)\b.*NAME",
    "PowerShell": r"(?i)^(?!\s*#).*?\b(function|filter|workflow)\s+(\w+:)?NAME(?![\w-])",
    "Ruby": r"\b(def|class|module|attr\w*|alias\w*|define_method)\b.*NAME"
    r"|^\s*NAME\s*(\|\|)?=(?![=~>])",
    "SQL": r"(?i)\b(table|view|function|procedure|trigger|index|domain|event|exists)\b.*NAME"
    r"|^[\s(,]*[\"`\[]?NAME[\"`\]]?\s+\w+",
    "Sh": r"(^|\s|;)(function +NAME\b|NAME *\( *\)|alias\b.*NAME[\"']?=)",
    "TypeScript": r"\b(function\*?|class|const|let|var|interface|type|enum|namespace|module)"
    r" +NAME\b"
    rf"|^\s*{_MODIFIERS}[#*]?[\"']?NAME[\"']?(<.*>)?(\(.*\) *(:.*)?[{{;]|\??!? *:)"
    r"|NAME[\"']? *[=:] *(async *)?(function\b|class\b|\(.*=>|\w+ *=>)|^\s+#?NAME *(=[^=]|,$)",
}


def main() -> None:
    """Print one report for each language of each repository, and at the end a table of them."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--repository", type=Path, required=True, nargs="+")
    options.add_argument("--language", default="")
    options.add_argument("--show", type=int, default=5, help="disagreements shown for each kind")
    options.add_argument("--without", default="", help="leave out paths that contain this")
    options.add_argument("--table", action="store_true", help="a table in Markdown at the end")
    message = options.parse_args()
    rows = []
    for root in message.repository:
        files = _files(root, message.without)
        for grammar in sorted(files):
            if message.language in ("", grammar):
                rows.append(_report(grammar, Texts(root), files[grammar], message.show))
    if message.table:
        print("| language | repository | ctags | gitmem | recall | precision | by the text |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        print("\n".join(rows))


class Texts:
    """The lines of a repository's files, read once each."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._known: dict[str, list[str]] = {}

    def line(self, path: str, line: int) -> str:
        """One line of a file, counted from 1."""
        lines = self._lines(path)
        return lines[line - 1] if 0 < line <= len(lines) else ""

    def quoted(self, path: str) -> set[int]:
        """The lines between two lines with three quotes: Elixir's documentation."""
        found: set[int] = set()
        end = ""
        for number, line in enumerate(self._lines(path), 1):
            if end:
                found.add(number)
                end = "" if line.lstrip().startswith(end) else end
            elif line.rstrip().endswith(('"""', "'''")):
                end = line.rstrip()[-3:]
        return found

    def _lines(self, path: str) -> list[str]:
        if path not in self._known:
            words = (self.root / path).read_text(encoding="utf-8", errors="replace")
            self._known[path] = words.split("\n")
        return self._known[path]


def _files(root: Path, without: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_symlink() or not path.is_file() or name.startswith(".git/"):
            continue
        if without and without in name:
            continue
        grammar = grammars.grammar_name(name, language_of(name), path.read_bytes())
        if grammar in COMPARED and path.stat().st_size <= extract.LARGEST:
            found[grammar].append(name)
    return found


def _report(grammar: str, texts: Texts, files: list[str], show: int) -> str:
    tool, theirs, ours = COMPARED[grammar]
    gitmem, clauses = _gitmem(grammar, texts, files, ours.split())
    ctags = {
        clauses.get(place, place): kind
        for place, kind in _ctags(tool, theirs.split(), texts, files).items()
    }
    missing, more = ctags.keys() - gitmem.keys(), gitmem.keys() - ctags.keys()
    both = len(gitmem) - len(more)
    recall, precision = both / max(1, len(ctags)), both / max(1, len(gitmem))
    print(
        f"{grammar}: {len(files)} files of {texts.root.name}, ctags {len(ctags)}, "
        f"gitmem {len(gitmem)}, recall {recall:.1%}, precision {precision:.1%}"
    )
    text = ""
    if tool in ANSWERS:
        real, lost = _reported(tool, texts, more), _reported(tool, texts, missing)
        least = both / max(1, both + lost)
        most = (both + real) / max(1, len(gitmem))
        print(
            f"  by the text of the line: {real} of {len(more)} that only gitmem has are "
            f"definitions, and {lost} of {len(missing)} that only ctags has "
            f"(recall {least:.1%}, precision {most:.1%})"
        )
        text = f"{least:.1%} / {most:.1%}"
    _list(f"only ctags, {grammar}", missing, ctags, texts, show)
    _list(f"only gitmem, {grammar}", more, gitmem, texts, show)
    return (
        f"| {grammar} | {texts.root.name} | {len(ctags)} | {len(gitmem)} | {recall:.1%} "
        f"| {precision:.1%} | {text} |"
    )


def _reported(tool: str, texts: Texts, places: Iterable[Place]) -> int:
    """How many of these look like a definition in their line."""
    return sum(_looks(ANSWERS[tool], name, texts.line(path, line)) for path, name, line in places)


def _looks(rule: str, name: str, text: str) -> bool:
    return bool(re.search(rule.replace("NAME", re.escape(name)), text))


def _list(
    title: str, places: Iterable[Place], kinds: dict[Place, str], texts: Texts, show: int
) -> None:
    grouped: dict[str, list[Place]] = defaultdict(list)
    for place in sorted(places):
        grouped[kinds[place]].append(place)
    for kind, count in Counter(kinds[place] for place in places).most_common():
        print(f"  {title}, {kind}: {count}")
        every = max(1, count // show) if show else 1
        for path, name, line in grouped[kind][::every][:show]:
            print(f"    {path}:{line} {name}   | {texts.line(path, line).strip()[:80]}")


def _ctags(tool: str, kinds: list[str], texts: Texts, files: list[str]) -> dict[Place, str]:
    command = [
        "ctags",
        "--output-format=json",
        "--fields=+neKlp",
        f"--language-force={tool}",
        f"--kinds-{tool}=" + "".join(f"{{{kind}}}" for kind in _known(tool, kinds)),
        "-L",
        "-",
        "-f",
        "-",
    ]
    done = subprocess.run(
        command, cwd=texts.root, input="\n".join(files), capture_output=True, text=True, check=True
    )
    quoted = {path: texts.quoted(path) for path in files} if tool == "Elixir" else {}
    found: dict[Place, str] = {}
    for row in done.stdout.splitlines():
        tag = json.loads(row)
        if tag["_type"] == "tag" and tag["line"] not in quoted.get(tag["path"], ()):
            text = texts.line(tag["path"], tag["line"])
            if _believed(tool, tag, text):
                found[tag["path"], _plain(tool, tag["name"]), tag["line"]] = tag["kind"]
    return found


def _believed(tool: str, tag: dict[str, str], text: str) -> bool:
    """Whether what ctags tells is a definition of the file by what it says itself."""
    if tag["language"] != tool or tag["name"].startswith(_NAMELESS):
        return False  # RSpec's, of Ruby
    if tool == "Kotlin" and (
        tag["name"] not in text  # `Companion`, of an object without a name
        or (tag["kind"] in ("constant", "variable") and tag.get("scopeKind") == "method")
    ):
        return False
    look = BELIEVED.get((tool, tag["kind"]))
    return look is None or _looks(look, _plain(tool, tag["name"]), text)


def _known(tool: str, kinds: list[str]) -> list[str]:
    listed = subprocess.run(
        ["ctags", f"--list-kinds-full={tool}"], capture_output=True, text=True, check=True
    )
    have = {row.split()[1] for row in listed.stdout.splitlines()[1:]}
    return [kind for kind in kinds if kind in have]


def _gitmem(
    grammar: str, texts: Texts, files: list[str], kinds: list[str]
) -> tuple[dict[Place, str], dict[Place, Place]]:
    """The definitions, and for every line of one that has clauses the place which it has."""
    found: dict[Place, str] = {}
    clauses: dict[Place, Place] = {}
    tool = COMPARED[grammar][0]
    for path in files:
        parsed = extract.parse_source_file(
            language_of(path), path, (texts.root / path).read_bytes()
        )
        for each in parsed.definitions if parsed else ():
            look = COUNTED.get((grammar, each.kind))
            if each.kind not in kinds or (look and not look.search(texts.line(path, each.line))):
                continue
            name = _plain(tool, each.name)
            place = (path, name, each.line)
            found[place] = each.kind
            if grammar in CLAUSES:
                for line in range(each.start_line, each.end_line + 1):
                    clauses.setdefault((path, name, line), place)
    return found, clauses


def _plain(tool: str, name: str) -> str:
    """A name as both write it: without spaces, quotes, or what it is a member of."""
    plain = name.replace(" ", "").strip("\"'`[]")
    if tool == "Lua":
        return re.split(r"[.:\[]", plain)[-1].strip("\"'")
    if tool == "Ruby":
        return plain.rstrip("?!=") or plain  # an alias' or a writer's end is told by one alone
    return plain if "/" in plain else plain.rpartition(".")[2] or plain


if __name__ == "__main__":
    main()
