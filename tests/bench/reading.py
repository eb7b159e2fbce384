"""Docstrings, messages and names drawn by a seed, for somebody to read who does not know the code.

    python -m tests.bench.reading --seed 7 [--each 30]

Whoever reads them says of each what it means. One that was not understood the first time is
rewritten, and the next reading draws with another seed.
"""

from __future__ import annotations

import argparse
import ast
import random
from collections.abc import Iterator

from docs.pages.program import modules
from gitmem import errors

_ERRORS = {name for name, value in vars(errors).items() if isinstance(value, type)}
_SHORTEST_MESSAGE = 20  # characters; below that it is a word, not a sentence


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--each", type=int, default=30)
    given = parser.parse_args()
    trees = {name: ast.parse(path.read_bytes()) for name, path in modules().items()}
    for title, draw in (("docstrings", docstrings), ("messages", messages), ("names", names)):
        rows = sorted({row for name, tree in trees.items() for row in draw(name, tree)})
        chosen = random.Random(f"{given.seed} {title}").sample(rows, min(given.each, len(rows)))
        print(f"== {title}: {len(chosen)} of {len(rows)}")
        for number, row in enumerate(chosen, 1):
            print(f"{number:2}. {row}")


def docstrings(module: str, tree: ast.Module) -> Iterator[str]:
    """Each public function, with its parameters and the whole of its docstring."""
    for node in _public(tree):
        text = ast.get_docstring(node)
        if text and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            head = f"{module}.{node.name}({', '.join(arg.arg for arg in node.args.args)})"
            yield f"{head}\n    {' '.join(text.split())}"


def messages(module: str, tree: ast.Module) -> Iterator[str]:
    """The texts of errors and their hints, placeholders as they stand."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _ERRORS.intersection(_words(node.func)):
            texts = [ast.unparse(part) for part in [*node.args, *(k.value for k in node.keywords)]]
            text = " / ".join(text for text in texts if text[:1] in "'\"f")
            if len(text) >= _SHORTEST_MESSAGE:
                yield f"{text}\n    ({module})"


def names(module: str, tree: ast.Module) -> Iterator[str]:
    """Public functions and classes by their full name alone."""
    return (f"{module}.{node.name}" for node in _public(tree))


def _public(
    tree: ast.Module,
) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    for node in tree.body:
        if isinstance(node, kinds) and not node.name.startswith("_"):
            yield node


def _words(function: ast.expr) -> set[str]:
    return {part.id for part in ast.walk(function) if isinstance(part, ast.Name)} | {
        part.attr for part in ast.walk(function) if isinstance(part, ast.Attribute)
    }


if __name__ == "__main__":
    main()
