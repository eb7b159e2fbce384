"""Imports of Go and Rust that name nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gitmem.indexing.syntax.values import Use
from gitmem.languages import go, rust
from gitmem.languages.tree_paths import folder_of, folders_above, join_path
from gitmem.review import verify_imports
from gitmem.review.known_modules import GO, GO_ROOTS, RUST
from gitmem.review.reviewed_diff import ReviewedFile
from gitmem.review.verify_imports import (
    MISSING,
    NAME,
    UNLISTED,
    UnresolvedImport,
    contains_word,
    did_you_mean,
)
from gitmem.review.verify_tree import TreeAfterDiff

_MODULE = re.compile(r"^\s*module\s+\"?([^\s\"]+)", re.MULTILINE)
_PATH = re.compile(
    r"^\s*(?:require|replace|tool)?\s*\(?\s*\"?([\w.~-]+(?:/[\w.~-]+)*)\"?\s", re.MULTILINE
)
_ROOTS = frozenset({"std", "core", "alloc", "proc_macro", "test", "crate", "self", "super", "Self"})
_NAMED = re.compile(r"[\w-]+")
_OTHER_ROOT = re.compile(r"(?:^|/)(?:tests|benches|examples|bin)/")
# What may define names that do not stand there.
_MACROS = re.compile(r"\binclude!|#\[path|^\w+!|^ +\w+! *\{$", re.MULTILINE)


def unresolved_go_imports(
    tree: TreeAfterDiff, file: ReviewedFile, uses: Sequence[Use]
) -> Iterator[UnresolvedImport]:
    """Yield those of ``uses`` (the imports of a Go file) that lead to no package."""
    above = [join_path(folder, "go.mod") for folder in folders_above(folder_of(file.path))]
    manifest = next((path for path in above if path in tree.manifests), "")
    own = _MODULE.search(tree.manifests.get(manifest, ""))
    if own is None or any(part in ("vendor", "testdata") for part in file.path.split("/")):
        return
    listed = {
        name
        for path in tree.manifests_named("go.mod")
        for name in _PATH.findall(tree.manifests[path])
    }
    modules = {
        match[1]
        for path in tree.manifests_named("go.mod")
        if (match := _MODULE.search(tree.manifests[path]))
    }
    for module in dict.fromkeys(use[2] for use in uses):
        use = next(other for other in uses if other[2] == module)
        if not re.fullmatch(r"[\w.~/+-]+", module) or go.resolve_go_import(
            tree, file.path, module, ""
        ):
            continue
        line = verify_imports.line_of_imported_name(file, use, module)
        inside = next((name for name in modules if f"{module}/".startswith(f"{name}/")), "")
        if inside:
            yield from _package(tree, line, module, inside)
        elif "." not in module.split("/")[0]:
            close = did_you_mean(
                module, {name for name in GO if not f"{module}/".startswith(name)}, 0.85
            )
            misspelt = module not in GO and bool(close)
            if module.split("/")[0] not in GO_ROOTS or misspelt:
                message = f"Go has no package {module}, and no module here has one{close}"
                yield UnresolvedImport(MISSING, line, module, message)
        elif not any(f"{module}/".startswith(f"{name}/") for name in listed):
            close = did_you_mean("/".join(module.split("/")[:3]), listed, 0.85)
            rule = MISSING if close else UNLISTED
            yield UnresolvedImport(
                rule, line, module, f"{manifest} requires no module with {module}{close}"
            )


def _package(
    tree: TreeAfterDiff, line: int, module: str, inside: str
) -> Iterator[UnresolvedImport]:
    paths = [
        path
        for path in tree.manifests_named("go.mod")
        if (match := _MODULE.search(tree.manifests[path])) and match[1] == inside
    ]
    place = join_path(folder_of(paths[0]), module[len(inside) :])
    if len(paths) > 1 or tree.is_outside_index(place + "/"):
        return
    close = did_you_mean(place, (folder for folder in tree.folders if folder), 0.7)
    yield UnresolvedImport(MISSING, line, module, f"The folder {place} has no Go file{close}",
                (f"{place}/{place.rpartition('/')[2]}.go", f"{place}/x.pb.go"))  # fmt: skip


# --- Rust ---------------------------------------------------------------------------------------


def unresolved_rust_imports(
    tree: TreeAfterDiff, file: ReviewedFile, uses: Sequence[Use]
) -> Iterator[UnresolvedImport]:
    """Yield those of ``uses`` (the imports of a Rust file) that lead to no module or crate."""
    above = [join_path(folder, "Cargo.toml") for folder in folders_above(folder_of(file.path))]
    manifests = [path for path in above if path in tree.manifests]
    if not manifests:
        return
    text = "\n".join(file.new_lines)
    for use in uses:
        path = [part for part in f"{use[2]}::{use[3]}".replace(".", "::").split("::") if part]
        if not path or not all(re.fullmatch(r"(?:r#)?\w+|\*", part) for part in path):
            continue
        if path[0] in ("crate", "self", "super"):
            # In a module inside of the file `super` is the file itself.
            if not file.new_lines[use[0] - 1 : use[0]][0][:1].isspace():
                yield from _path(tree, file, use)
        elif path[0] in ("std", "core") and len(path) > 2 and path[1] not in RUST:
            if close := did_you_mean(path[1], RUST, 0.8):
                line = verify_imports.line_of_imported_name(file, use, path[1])
                yield UnresolvedImport(
                    MISSING, line, use[2], f"Rust has no {path[0]}::{path[1]}{close}"
                )
        elif path[0] not in _ROOTS and path[0].islower() and len(path) > 1:
            yield from _crate(tree, file, use, path[0], manifests, text)


def _path(tree: TreeAfterDiff, file: ReviewedFile, use: Use) -> Iterator[UnresolvedImport]:
    if use[2].startswith("crate") and _OTHER_ROOT.search(file.path):
        return  # whose crate this is, only Cargo.toml knows
    name = "" if use[3] == "*" else use[3]
    targets = rust.resolve_rust_path(tree, file.path, use[2], name)
    rest = targets[0].rest.split(".")[0] if targets else ""
    if not rest or rest in ("*", "self", "super"):
        return
    path = targets[0].path
    text = tree.file_text(path)
    if path == file.path:  # its own use of the name does not count
        text = re.sub(rf"::(?:r#)?{re.escape(rest)}\b", "::", "\n".join(file.new_lines))
    declared = re.search(
        rf"^[ \t]*(?:pub(?:\([\w: ]+\))? )?mod {re.escape(rest)}\s*;", text, re.MULTILINE
    )
    if declared and "." in targets[0].rest and "#[path" not in text and "#[cfg" not in text:
        place = f"{folder_of(path)}/{rest}".lstrip("/")
        line = verify_imports.line_of_imported_name(file, use, rest)
        message = f"{path} declares a module {rest}, which has no file"
        files = (f"{place}.rs", f"{place}/mod.rs")
        yield UnresolvedImport(MISSING, line, use[2], message, files)
        return
    if not text or contains_word(text, rest.removeprefix("r#")) or _MACROS.search(text):
        return
    if re.search(r"\buse\b[^;]*\*", text):
        return  # it may come from what is taken in whole
    close = did_you_mean(rest, verify_imports.identifiers_in_text(text))
    yield UnresolvedImport(
        NAME,
        verify_imports.line_of_imported_name(file, use, rest),
        use[2],
        f"{path} has no {rest}{close}",
    )


def _crate(
    tree: TreeAfterDiff,
    file: ReviewedFile,
    use: Use,
    name: str,
    manifests: Sequence[str],
    text: str,
) -> Iterator[UnresolvedImport]:
    if rust.resolve_rust_path(tree, file.path, use[2], "" if use[3] == "*" else use[3]):
        return
    line = verify_imports.line_of_imported_name(file, use, name)
    named = {
        word.replace("-", "_")
        for path in tree.manifests_named("Cargo.toml")
        for word in _NAMED.findall(tree.manifests[path])
    }
    # A name may also be a module, an enum or a crate that this file or its crate takes in.
    if name in named or re.search(rf"\b(?:mod|crate|as|enum)\s+{re.escape(name)}\b", text):
        return
    if (close := did_you_mean(name, _ROOTS, 0.79)) and not tree.paths_with_stem(name):
        yield UnresolvedImport(
            MISSING, line, use[2], f"{manifests[0]} lists no crate {name}{close}"
        )
        return
    if len(re.findall(rf"\b{re.escape(name)}\b(?!::)", text)) or re.search(r"use [^;]*\*", text):
        return
    if tree.paths_with_stem(name) or any(
        folder.rpartition("/")[2] == name for folder in tree.folders
    ):
        return
    close = did_you_mean(name, named, 0.8)
    rule = MISSING if close else UNLISTED
    pattern = rf"(use|crate)[[:space:]]+(::)?{name}(::|;|[[:space:]])"
    yield UnresolvedImport(
        rule, line, use[2], f"{manifests[0]} lists no crate {name}{close}", (), pattern
    )
