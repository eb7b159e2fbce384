"""How the definitions gitmem reads compare with universal-ctags, over the kinds both know.

``python -m tests.bench.definitions --repository PATH [--language L] [--show N]``

A definition is its file, its name and the line of its name. Recall: the part of ctags' definitions
that gitmem has too; precision: the part of gitmem's that ctags has too. Neither is the truth: what
they disagree on is listed by kind, to be read. Needs the ctags binary (universal-ctags).
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from gitmem.indexing.languages import language as language_of
from gitmem.indexing.syntax import extract, grammars

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
# ctags of these languages mistakes one thing for another (5.9: every object is a class, imports are
# aliases, and the values of functions are told like the file's): of a kind listed here it is
# believed only where the line looks so; of gitmem's only what is not listed is doubted.
BELIEVED: dict[tuple[str, str], re.Pattern[str]] = {
    ("JavaScript", "class"): re.compile(r"\bclass\b"),
    ("JavaScript", "constant"): re.compile(r"^(export |const )"),
    ("JavaScript", "variable"): re.compile(r"^(export |var |let )"),
    ("JavaScript", "field"): re.compile(r"^\s+(static )?#?\w+ ="),
    ("TypeScript", "alias"): re.compile(r"\btype \w+.*="),
    ("TypeScript", "constant"): re.compile(r"^(export |const |declare )"),
    ("TypeScript", "variable"): re.compile(r"^(export |var |let |declare )"),
}


def main() -> None:
    """Print one table for each language of the repository."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--repository", type=Path, required=True)
    options.add_argument("--language", default="")
    options.add_argument("--show", type=int, default=5, help="disagreements shown for each kind")
    options.add_argument("--without", default="", help="leave out paths that contain this")
    said = options.parse_args()
    files = _files(said.repository, said.without)
    for grammar in sorted(files):
        if said.language in ("", grammar):
            _report(grammar, said.repository, files[grammar], said.show)


def _files(root: Path, without: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_symlink() or not path.is_file() or name.startswith(".git/"):
            continue
        if without and without in name:
            continue
        grammar = grammars.name(name, language_of(name), path.read_bytes())
        if grammar in COMPARED and path.stat().st_size <= extract.LARGEST:
            found[grammar].append(name)
    return found


def _report(grammar: str, root: Path, files: list[str], show: int) -> None:
    tool, theirs, ours = COMPARED[grammar]
    ctags = _ctags(tool, theirs.split(), root, files)
    gitmem = {place: kind for place, kind in _gitmem(grammar, root, files) if kind in ours.split()}
    missing, more = ctags.keys() - gitmem.keys(), gitmem.keys() - ctags.keys()
    both = len(gitmem) - len(more)
    recall, precision = both / max(1, len(ctags)), both / max(1, len(gitmem))
    print(
        f"{grammar}: {len(files)} files, ctags {len(ctags)}, gitmem {len(gitmem)}, "
        f"recall {recall:.1%}, precision {precision:.1%}"
    )
    _list("only ctags", missing, ctags, show)
    _list("only gitmem", more, gitmem, show)


def _list(title: str, places: Iterable[Place], kinds: dict[Place, str], show: int) -> None:
    grouped: dict[str, list[Place]] = defaultdict(list)
    for place in sorted(places):
        grouped[kinds[place]].append(place)
    for kind, count in Counter(kinds[place] for place in places).most_common():
        print(f"  {title}: {kind} {count}")
        every = max(1, count // show) if show else 1
        for path, name, line in grouped[kind][::every][:show]:
            print(f"    {path}:{line} {name}")


def _ctags(tool: str, kinds: list[str], root: Path, files: list[str]) -> dict[Place, str]:
    command = [
        "ctags",
        "--output-format=json",
        "--fields=+neK",
        f"--language-force={tool}",
        f"--kinds-{tool}=" + "".join(f"{{{kind}}}" for kind in _known(tool, kinds)),
        "-L",
        "-",
        "-f",
        "-",
    ]
    done = subprocess.run(
        command, cwd=root, input="\n".join(files), capture_output=True, text=True, check=True
    )
    found: dict[Place, str] = {}
    for row in done.stdout.splitlines():
        tag = json.loads(row)
        if tag["_type"] == "tag" and not tag["name"].startswith(("__anon", "Anonymous")):
            look = BELIEVED.get((tool, tag["kind"]))
            if look is None or look.search(tag["pattern"][2:]):
                found[tag["path"], _plain(tag["name"]), tag["line"]] = tag["kind"]
    return found


def _known(tool: str, kinds: list[str]) -> list[str]:
    listed = subprocess.run(
        ["ctags", f"--list-kinds-full={tool}"], capture_output=True, text=True, check=True
    )
    have = {row.split()[1] for row in listed.stdout.splitlines()[1:]}
    return [kind for kind in kinds if kind in have]


def _gitmem(grammar: str, root: Path, files: list[str]) -> Iterable[tuple[Place, str]]:
    for path in files:
        parsed = extract.parse(language_of(path), path, (root / path).read_bytes())
        for each in parsed.definitions if parsed else ():
            yield (path, _plain(each.name), each.line), each.kind


def _plain(name: str) -> str:
    """A name as both write it: without spaces, quotes, or the interface that a member is of."""
    plain = name.replace(" ", "").strip("\"'")
    return plain if "/" in plain else plain.rpartition(".")[2] or plain


if __name__ == "__main__":
    main()
