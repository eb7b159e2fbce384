"""Imports that name nothing, in each language, and those of which nothing can be said (ML-25)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitmem.git import layout, listing
from gitmem.git.diff import PathChange
from gitmem.git.lines.patch import Hunk
from gitmem.review import verify, verify_imports
from gitmem.review.reviewed_diff import ReviewedFile
from gitmem.review.verify_tree import TreeAfterDiff
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder

PYTHON = {
    "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["flask", "PyYAML>=6"]\n',
    "src/shop/__init__.py": "",
    "src/shop/cart.py": "def total(prices):\n    return sum(prices)\n",
    "src/shop/lazy.py": "def __getattr__(name):\n    return name\n",
    "src/shop/reads.py": "import sys\nx = sys.modules['shop'] == sys.modules.get('a')\n",
    "src/shop/sets.py": "import sys\nsys.modules[__name__] = object()\n",
    "src/shop/sub/__init__.py": "from shop.sub.deep import all_of_it\n",
    "src/shop/sub/deep.py": "all_of_it = 1\n",
    "src/shop/fast.c": "int fast;\n",
    ".gitignore": "src/shop/_version.py\n",
    "scripts/helper.py": "x = 1\n",
    "src/shop/rare.py": "import rarelib\n",
}
WEB = {
    "package.json": '{"name": "web", "dependencies": {"express": "4", "@scope/kit": "1"}}',
    "tsconfig.json": '{"compilerOptions": {"baseUrl": ".", "paths": {"@app/*": ["src/*"]}}}',
    "src/cart.ts": "export const total = 1\nexport default total\n",
    "src/plain.ts": "export const one = 1\n",
    "src/all.ts": "export * from './cart'\n",
    "src/data.json": "{}",
    "src/views/index.ts": "export const view = 1\n",
    "packages/kit/package.json": '{"name": "@own/kit", "main": "dist/index.js"}',
    "packages/kit/src/index.ts": "export const kit = 1\n",
    ".gitignore": "src/generated.ts\n",
    "src/uses.ts": "import x from 'phantom'\n",
    "vite.config.ts": "export default { alias: { aliased: './src' } }\n",
}
GO = {
    "go.mod": "module example.com/shop\n\nrequire (\n\tgithub.com/gin-gonic/gin v1.9.0\n)\n",
    "cart/cart.go": "package cart\n",
}
RUST = {
    "Cargo.toml": '[package]\nname = "shop"\n\n[dependencies]\nserde = "1"\n',
    "src/lib.rs": "mod cart;\nmod lost;\n",
    "src/cart.rs": "pub fn total() {}\n",
}


def found(repo: RepoBuilder, path: str, text: str) -> list[str]:
    """The rules and messages of the findings in a file that is new."""
    here = layout.find_repository(str(repo.path))
    data = text.encode()
    tree = TreeAfterDiff(here, listing.file_modes_and_blob_ids(here), {path: data})
    file = ReviewedFile(PathChange("A", "", path), (Hunk((1, 0), (1, 1 << 31)),), None, data)
    return [
        f"{each.line} {each.rule}: {each.message}"
        for each in verify_imports.find_broken_imports(tree, [file], verify.LANGUAGES)
    ]


def check(repo: RepoBuilder, path: str, text: str, expected: str) -> None:
    messages = found(repo, path, text)
    if expected:
        assert len(messages) == 1 and expected in messages[0], messages
    else:
        assert messages == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from shop.cart import total\n", ""),
        ("from shop.cart import totl\n", "1 import/name: src/shop/cart.py has no totl (did you"),
        ("from shop.carts import total\n", "import/missing: There is no src/shop/carts.py"),
        ("from shop.sub.depe import all_of_it\n", "did you mean deep?"),
        ("from .cart import total\n", ""),
        ("from .crat import total\n", "no folder src/shop/crat (did you mean cart?)"),
        ("from . import cart, carts\n", "carts"),
        ("from ..shop import cart\n", ""),
        ("from shop.sub import (\n    deep,\n    all_of_it,\n    nothing,\n)\n", "4 import/name"),
        ("from shop.lazy import whatever\n", ""),
        ("from shop.reads import whatever\n", "1 import/name: src/shop/reads.py has no whatever"),
        ("from shop.sets import whatever\n", ""),
        ("from shop import fast\n", ""),
        ("from shop._version import version\n", ""),
        ("import colections\n", "did you mean collections?"),
        ("import collections.abc, os.path\n", ""),
        ("import flask\nimport yaml\nimport flask_login\n", "3 dependency/unlisted"),
        ("import numpy\n", "dependency/unlisted"),
        ("import flsk\n", "did you mean flask?"),
        ("import rarelib\n", ""),
        ("import helper\n", ""),
        ("try:\n    import simplejson\nexcept ImportError:\n    simplejson = None\n", ""),
        ("if True:\n    import simplejson\n", ""),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pandas import Frame\n", ""),
        ("def f():\n    import optional_thing\n", ""),
        ("from __future__ import annotations\n", ""),
        ("from shop.cart import *\n", ""),
    ],
)  # fmt: skip
def test_imports_of_python(repo: RepoBuilder, text: str, expected: str) -> None:
    repo.commit("Shop", PYTHON)
    check(repo, "src/shop/new.py", text, expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import { total } from './cart'\n", ""),
        ("import { total } from './cart.js'\n", ""),
        ("import { totl } from './cart'\n", "src/cart.ts has no totl (did you mean total?)"),
        ("import {\n  total,\n  totl,\n} from './cart'\n", "3 import/name"),
        ("import one from './plain'\n", "src/plain.ts has no default export"),
        ("import { anything } from './all'\n", ""),
        ("import { x } from './crat'\n", "There is no src/crat (did you mean cart?)"),
        ("const { x } = require('./lost')\n", "There is no src/lost"),
        ("import d from './data.json'\n", ""),
        ("import { view } from './views'\n", ""),
        ("import { g } from './generated'\n", ""),
        ("import { total } from '@app/cart'\n", ""),
        ("import x from 'aliased/y'\n", ""),
        ("import e from 'express'\nimport f from 'node:fs'\nimport p from 'path'\n", ""),
        ("import e from 'expres'\n", "did you mean express?"),
        ("import f from 'node:fss'\n", "Node has no module node:fss (did you mean fs?)"),
        ("import f from 'nod:fs'\n", "did you mean node?"),
        ("import p from 'left-pad'\n", "dependency/unlisted"),
        ("import p from '@scope/kit/sub'\nimport { kit } from '@own/kit'\n", ""),
        ("import p from 'phantom'\n", ""),
        ("import v from 'virtual:thing'\nimport s from '~/x'\nimport u from 'https://x.y/z'\n", ""),
        ("import up from '../../outside'\n", ""),
        ("const x = await import(`./${name}`)\n", ""),
    ],
)
def test_imports_of_typescript(repo: RepoBuilder, text: str, expected: str) -> None:
    repo.commit("Web", WEB)
    check(repo, "src/new.ts", text, expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"fmt"', ""),
        ('"example.com/shop/cart"', ""),
        ('"example.com/shop/crat"', "The folder crat has no Go file (did you mean cart?)"),
        ('"github.com/gin-gonic/gin/binding"', ""),
        ('"github.com/gin-gonc/gin"', "did you mean github.com/gin-gonic/gin?"),
        ('"github.com/other/thing"', "dependency/unlisted: go.mod requires no module"),
        ('"net/htpp"', "Go has no package net/htpp"),
        ('"encoding/json/v2"', ""),
        ('"fnt"', "Go has no package fnt"),
        ('"C"', ""),
    ],
)
def test_imports_of_go(repo: RepoBuilder, text: str, expected: str) -> None:
    repo.commit("Shop", GO)
    check(repo, "cmd/main.go", f"package main\n\nimport {text}\n", expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("use crate::cart::total;\n", ""),
        ("use crate::cart::totl;\n", "src/cart.rs has no totl (did you mean total?)"),
        ("use crate::lost::x;\n", "src/lib.rs declares a module lost, which has no file"),
        ("use serde::Serialize;\n", ""),
        ("use serd::Serialize;\n", "lists no crate serd (did you mean serde?)"),
        ("use std::procss::Command;\n", "Rust has no std::procss (did you mean process?)"),
        ("use std::collections::HashMap;\n", ""),
        ("mod own;\nuse own::thing;\n", ""),
        ("mod tests {\n    use super::*;\n    use super::helper;\n}\n", ""),
    ],
)
def test_imports_of_rust(repo: RepoBuilder, text: str, expected: str) -> None:
    repo.commit("Shop", RUST)
    check(repo, "src/new.rs", text, expected)


def test_what_git_ignores_may_be_built(repo: RepoBuilder) -> None:
    repo.commit("Web", WEB | {".gitignore": "*.js\n*.gen.ts\n/out/\n"})
    assert found(repo, "src/new.ts", "import './nowhere.js'\n") != []
    assert found(repo, "src/new.ts", "import './client.gen.ts'\n") == []
    assert found(repo, "src/new.ts", "import '../out/x.js'\n") == []


def test_test_data_is_wrong_on_purpose(repo: RepoBuilder) -> None:
    repo.commit("Shop", PYTHON | WEB)
    assert found(repo, "tests/fixtures/bad.py", "from shop.nowhere import x\n") == []
    assert found(repo, "tests/format/js/case.js", "import './nowhere'\n") == []
    assert found(repo, "src/bundle.js", "typeof require;\nrequire('./nowhere')\n") == []


def test_only_lines_that_the_diff_wrote_are_judged(repo: RepoBuilder, desk: Desk) -> None:
    repo.commit("Shop", PYTHON | {"src/shop/old.py": "import os\nfrom shop.nowhere import x\n"})
    repo.write({"src/shop/old.py": "import os\nfrom shop.nowhere import x\nimport shop.alsonot\n"})
    findings = desk.run("review").findings
    assert [(each.rule, each.line) for each in findings] == [("import/missing", 3)]


def test_a_file_that_the_diff_removes_is_gone_for_its_imports(
    repo: RepoBuilder, desk: Desk
) -> None:
    repo.commit("Shop", PYTHON)
    (repo.path / "src/shop/cart.py").unlink()
    repo.write({"src/shop/new.py": "from shop.cart import total\n"})
    repo.git("add", "-A")
    for values in ({}, {"staged": True}):
        rules = {each.rule for each in desk.run("review", **values).findings}
        assert "import/missing" in rules


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=80), st.sampled_from(["a.py", "a.ts", "a.js", "cmd/a.go", "src/a.rs"]))
def test_any_text_is_read(everything: RepoBuilder, text: str, path: str) -> None:
    for line in (
        text,
        f"import {text}",
        f"from {text} import x",
        f"import '{text}'",
        f"use {text};",
    ):
        for message in found(everything, path, line):
            assert "\n" not in message


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> RepoBuilder:
    repo = RepoBuilder(tmp_path_factory.mktemp("all") / "repo")
    repo.commit("All", PYTHON | WEB | GO | RUST)
    return repo


def test_a_bare_repository_is_verified_too(repo: RepoBuilder, desk: Desk, tmp_path: Path) -> None:
    repo.commit("Shop", PYTHON)
    repo.commit("More", {"src/shop/new.py": "from shop.crat import total\n"})
    bare = repo.clone(tmp_path / "bare", "--bare")
    result = desk.run("review", place=bare.path, revisions="HEAD~1..HEAD")
    assert [each.rule for each in result.findings] == ["import/missing"]


def test_names_in_links_and_submodules_are_not_judged(repo: RepoBuilder) -> None:
    repo.commit("Shop", PYTHON)
    (repo.path / "src/shop/linked").symlink_to("../../elsewhere")
    repo.git("add", "-A")
    repo.commit("Link")
    assert found(repo, "src/shop/new.py", "from shop.linked import x\n") == []
    assert found(repo, "src/shop/new.py", "from .linked.deep import x\n") == []
