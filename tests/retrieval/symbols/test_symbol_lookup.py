"""`gitmem search NAME --mode symbol|callers|importers|tests|config`, on Python and TypeScript."""

from __future__ import annotations

from typing import Any

import pytest

from gitmem.errors import InvalidInput
from gitmem.retrieval.hit_view import HitItem
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder
from tests.support.secrets import SECRET
from tests.support.tables import table

FILES = {
    "shop/store/session.py": (
        "class SessionStore:\n"
        '    """Keeps sessions."""\n'
        "\n"
        "    def load_session(self, key):\n"
        "        return key\n"
        "\n"
        "\n"
        "def session_store():\n"
        "    return SessionStore()\n"
    ),
    "shop/store/__init__.py": "from .session import SessionStore\n",
    "shop/deep/__init__.py": "",
    "shop/deep/job.py": "from ..store.session import SessionStore\n",
    "lib/sock.py": "def open_sock(): pass\n",
    "examples/demo/tests/test_sock.py": "def test_sock():\n    open_sock()\n    open_sock()\n",
    "tests/test_sock.py": "def test_sock():\n    open_sock()\n",
    "lib/zoo/__init__.py": "from .yak import Yak\n",
    "lib/zoo/yak.py": "class Yak: pass\n",
    "other/__init__.py": "from .session import Other\n",
    "other/session.py": "class Other: pass\n",
    "web/src/other/use.ts": 'import { x } from "./client";\n',
    "web/src/other/client.ts": "export const x = 1;\n",
    "shop/web.py": (
        "from shop.store.session import SessionStore, session_store\n"
        "\n"
        "\n"
        "def serve():\n"
        "    one = session_store()\n"
        "    two = session_store()\n"
        "    return one.load_session('a'), two\n"
    ),
    "shop/admin.py": "import shop.store.session\n\nshop.store.session.session_store()\n",
    "tests/test_session.py": "def test_nothing():\n    assert True\n",
    "tests/test_flow.py": (
        "from shop.store.session import session_store\n\n\n"
        "def test_flow():\n    assert session_store()\n"
    ),
    "web/src/api/client.ts": (
        "export interface SessionStoreOptions { url: string }\n"
        "export class ApiClient {\n"
        "  send(path: string) { return path }\n"
        "}\n"
        "export function makeClient() { return new ApiClient() }\n"
    ),
    "web/src/app.ts": (
        'import { makeClient } from "./api/client";\n'
        "export const client = makeClient();\n"
        'client.send("/");\n'
    ),
    "web/src/api/client.test.ts": (
        'import { makeClient } from "./client";\ntest("a", () => { makeClient() })\n'
    ),
    "shop/limits.py": (
        "import enum\nfrom lib.sock import open_sock\n\n\ndef least(config):\n"
        '    return config["CART_LIMIT"]\n\n\nDEFAULTS = {\n    "CART_LIMIT": 20,\n}\n'
    ),
    "settings.toml": f'[shop]\nsession_store = "redis"\ntoken = "{SECRET}"\n',
    "config/session_store.yml": "cache: on\n",
    "config/web.yml": "# see session_store\nport: 80\n",
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    repo = RepoBuilder(tmp_path_factory.mktemp("names") / "repo")
    repo.commit("All", FILES)
    made = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    made.run("init", no_hooks=True)
    return made


NAMED = ("symbol", "callers", "tests", "config")


def hits(desk: Desk, query: str, mode: str, **values: Any) -> tuple[HitItem, ...]:
    found: tuple[HitItem, ...] = desk.run("search", query=query, mode=mode, **values).hits
    return found


def paths(desk: Desk, query: str, mode: str, **values: Any) -> list[str]:
    return [hit.path for hit in hits(desk, query, mode, **values)]


# --- where it is defined ------------------------------------------------------------------------


def test_exact_comes_before_written_otherwise_before_a_prefix(desk: Desk) -> None:
    found = hits(desk, "SessionStore", "symbol")
    assert [(hit.symbol, hit.why[0]) for hit in found] == [
        ("SessionStore", "exact name"),
        ("session_store", "case-insensitive match"),
        ("SessionStoreOptions", "prefix match"),
    ]
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


def test_a_definition_tells_its_lines_kind_and_signature(desk: Desk) -> None:
    (found,) = hits(desk, "load_session", "symbol")
    assert (found.path, found.start_line, found.end_line) == ("shop/store/session.py", 4, 5)
    assert found.context == "method in SessionStore"
    assert "def load_session(self, key)" in found.snippet


@pytest.mark.parametrize("typed", ["SesionStore", "SessionStroe", "SessoinStore", "ssesion_store"])
def test_a_name_that_was_typed_wrong_is_found(desk: Desk, typed: str) -> None:
    """CE-26: Jaro-Winkler from 0.85 on."""
    found = hits(desk, typed, "symbol")
    assert {"SessionStore", "session_store"} <= {hit.symbol for hit in found}
    assert all(hit.why[0].startswith("similar name") for hit in found)


def test_a_name_that_nothing_is_like_is_not_found(desk: Desk) -> None:
    answer = desk.run("search", query="Xylophone", mode="symbol")
    assert (answer.hits, answer.relevance) == ((), "none")


def test_definitions_are_narrowed_by_kind_language_path_and_kind_of_file(desk: Desk) -> None:
    def names(**values: Any) -> set[str]:
        return {hit.symbol for hit in hits(desk, "SessionStore", "symbol", **values)}

    assert names(kind=("class",)) == {"SessionStore"}
    assert names(kind=("function", "interface")) == {"session_store", "SessionStoreOptions"}
    assert names(lang=("typescript",)) == {"SessionStoreOptions"}
    assert names(path="web/") == {"SessionStoreOptions"}
    assert names(only="test") == set()
    assert names(only="source") == {"SessionStore", "session_store", "SessionStoreOptions"}


@table(
    ("query", "mode"),
    [
        *((query, mode) for query in ("?!", "\U0001f642") for mode in NAMED),
        ("two words", "symbol"),
    ],
)
def test_a_question_without_a_name_is_refused(desk: Desk, query: str, mode: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        hits(desk, query, mode)
    assert refused.value.hint


# --- who uses it --------------------------------------------------------------------------------


def test_callers_are_files_with_their_lines(desk: Desk) -> None:
    found = {hit.path: hit for hit in hits(desk, "session_store", "callers")}
    assert {"shop/web.py", "shop/admin.py", "tests/test_flow.py"} == set(found)
    assert (found["shop/web.py"].start_line, found["shop/web.py"].also) == (5, ("6",))
    assert found["shop/web.py"].snippet.strip() == "one = session_store()"
    assert found["shop/web.py"].why == ("calls it",)


def test_callers_in_tests_come_last(desk: Desk) -> None:
    assert paths(desk, "session_store", "callers")[-1] == "tests/test_flow.py"
    assert paths(desk, "session_store", "callers", only="source") == [
        "shop/web.py",
        "shop/admin.py",
    ]


def test_callers_in_typescript(desk: Desk) -> None:
    assert paths(desk, "makeClient", "callers") == ["web/src/app.ts", "web/src/api/client.test.ts"]
    assert paths(desk, "makeClient", "callers", path="web/src/app.ts") == ["web/src/app.ts"]


@pytest.mark.parametrize(
    "module", ["shop.store.session", "shop/store/session.py", "store/session.py"]
)
def test_importers_by_module_and_by_path(desk: Desk, module: str) -> None:
    assert set(paths(desk, module, "importers")) == {
        "shop/store/__init__.py",
        "shop/deep/job.py",
        "shop/web.py",
        "shop/admin.py",
        "tests/test_flow.py",
    }


def test_tests_come_by_their_score(desk: Desk) -> None:
    """CE-13: that of an example after the repository's own, however often it calls the name."""
    found = hits(desk, "open_sock", "tests")
    assert [hit.path for hit in found] == ["tests/test_sock.py", "examples/demo/tests/test_sock.py"]
    assert found[0].score > found[1].score


def test_importers_of_a_module_that_is_imported_relatively_only(desk: Desk) -> None:
    """CE-13: by its dotted name too."""
    for name in ("zoo.yak", "lib/zoo/yak.py", "who imports zoo.yak"):
        assert paths(desk, name, "importers") == ["lib/zoo/__init__.py"]


def test_an_import_is_not_shown_under_the_definition_below_it(desk: Desk) -> None:
    found = {hit.path: hit.context for hit in hits(desk, "lib.sock", "importers")}
    assert found == {"shop/limits.py": ""}
    calls = {hit.path: hit.context for hit in hits(desk, "session_store", "callers")}
    assert calls == {"shop/web.py": "serve", "shop/admin.py": "", "tests/test_flow.py": "test_flow"}


def test_importers_of_a_typescript_file(desk: Desk) -> None:
    found = paths(desk, "web/src/api/client.ts", "importers")
    assert found == ["web/src/app.ts", "web/src/api/client.test.ts"]


def test_importers_of_one_letter_are_not_those_of_everything(desk: Desk) -> None:
    assert paths(desk, "s", "importers") == []


# --- what tests and sets it ---------------------------------------------------------------------


def test_tests_are_those_that_use_it_and_those_named_after_its_file(desk: Desk) -> None:
    found = {hit.path: hit.why[0] for hit in hits(desk, "session_store", "tests")}
    assert found == {
        "tests/test_flow.py": "uses it",
        "tests/test_session.py": "tests shop/store/session.py by its name",
    }


def test_tests_in_typescript(desk: Desk) -> None:
    assert "web/src/api/client.test.ts" in paths(desk, "ApiClient", "tests")


def test_tests_are_narrowed_too(desk: Desk) -> None:
    assert paths(desk, "session_store", "tests", path="tests/test_flow.py") == [
        "tests/test_flow.py"
    ]
    assert paths(desk, "session_store", "tests", lang=("typescript",)) == []


def test_configuration_that_sets_a_name(desk: Desk) -> None:
    """The line that sets it first, and no file that is only called so."""
    found, mention = hits(desk, "session_store", "config")
    assert (found.path, found.start_line, found.why) == ("settings.toml", 2, ("sets it",))
    assert found.snippet.startswith('session_store = "redis"')
    assert (mention.path, mention.why) == ("config/web.yml", ("mentions it",))
    (below,) = hits(desk, "shop.session_store", "config")
    assert (below.path, below.start_line) == ("settings.toml", 2)
    assert not hits(desk, "token.session_store", "config")  # that stands below it


def test_a_setting_that_no_file_of_configuration_has_is_found_in_code(desk: Desk) -> None:
    (found,) = hits(desk, "CART_LIMIT", "config")
    assert (found.path, found.why) == ("shop/limits.py", ("sets it",))
    assert found.snippet.startswith('    "CART_LIMIT": 20,')


def test_secrets_beside_a_key_are_masked(desk: Desk) -> None:
    """CE-39."""
    assert SECRET not in repr(hits(desk, "session_store", "config"))


# --- names as people write them ------------------------------------------------------------------

WRITTEN = {
    "net/_decoders.py": (
        "class Decoder:\n    def decode(self, data):\n        return data\n\n\n"
        "class GZipDecoder(Decoder):\n    def decode(self, data):\n        return data\n\n\n"
        'SUPPORTED = {"gzip": GZipDecoder}\n'
    ),
    "net/_client.py": (
        "class Client:\n"
        "    def send(self, request):\n"
        "        return self._build_redirect_request(request)\n\n"
        "    def _build_redirect_request(self, request):\n"
        "        return request\n\n\n"
        "class Session:\n    def send(self, request):\n        return request\n"
    ),
    "tests/test_decoders.py": "import net\n\n\ndef test_gzip():\n    assert net.get('/')\n",
    "tests/test_redirects.py": "import net\n\n\ndef test_redirect_301():\n    net.get()\n",
    "tests/test_latest.py": "def test_nothing():\n    pass\n",
    "web/foo.ts": (
        "export class Foo {\n  #secret(x: number) { return x }\n"
        "  bar(x: number) { return this.#secret(x) }\n}\n"
        "export class Other {\n  bar() { return 1 }\n}\n"
    ),
    "web/foo.test.ts": 'import { Foo } from "./foo";\ntest("bar", () => { new Foo().bar(1) });\n',
    "router/router.go": (
        "package router\n\ntype Engine struct{}\n\n"
        "func (e *Engine) ServeHTTP(p string) string { return e.handle(p) }\n\n"
        "func (e *Engine) handle(p string) string { return p }\n\n"
        "func New() *Engine { return &Engine{} }\n"
    ),
    "router/router_test.go": (
        'package router\n\nimport "testing"\n\n'
        'func TestServe(t *testing.T) {\n\te := New()\n\te.ServeHTTP("/")\n}\n'
    ),
}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    repo = RepoBuilder(tmp_path_factory.mktemp("written") / "repo")
    repo.commit("All", WRITTEN)
    made = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    made.run("init", no_hooks=True)
    return made


@table(("query", "mode", "first"), [
    ("GZipDecoder", "symbol", ("net/_decoders.py", 6)),
    ("GZipDecoder", "tests", ("tests/test_decoders.py", 4)),
    ("net.GZipDecoder", "tests", ("tests/test_decoders.py", 4)),
    ("GZipDecoder.decode()", "symbol", ("net/_decoders.py", 7)),
    ("_build_redirect_request", "symbol", ("net/_client.py", 5)),
    ("_build_redirect_request", "callers", ("net/_client.py", 3)),
    ("Client._build_redirect_request", "tests", ("tests/test_redirects.py", 4)),
    ("net.Session.send", "symbol", ("net/_client.py", 10)),
    ("net/_client.py::Session.send", "symbol", ("net/_client.py", 10)),
    ("net._client.Client.send", "symbol", ("net/_client.py", 2)),
    ("the Session class", "symbol", ("net/_client.py", 9)),
    ("Foo::bar", "symbol", ("web/foo.ts", 3)),
    ("Other#bar", "symbol", ("web/foo.ts", 6)),
    ("Foo#bar", "tests", ("web/foo.test.ts", 2)),
    ("Foo#secret", "symbol", ("web/foo.ts", 2)),
    ("#secret", "symbol", ("web/foo.ts", 2)),
    ("(*Engine).handle", "symbol", ("router/router.go", 7)),
    ("Engine.handle", "callers", ("router/router.go", 5)),
    ("router.New", "tests", ("router/router_test.go", 6)),
    ("Engine.ServeHTTP", "tests", ("router/router_test.go", 7)),
])  # fmt: skip
def test_a_name_is_found_however_it_is_written(
    written: Desk, query: str, mode: str, first: tuple[str, int]
) -> None:
    found = hits(written, query, mode)
    assert found and (found[0].path, found[0].start_line) == first, [
        (hit.path, hit.start_line, hit.why) for hit in found
    ]


def test_what_stands_elsewhere_is_reported_after_what_was_named(written: Desk) -> None:
    best, other = hits(written, "Session.send", "symbol")
    assert best.why == ("exact name",)
    assert other.why == ("exact name, not in Session",)
    # Of a qualifier that nothing stands in, nothing is lowered.
    assert {hit.score for hit in hits(written, "requests.api.send", "symbol")} == {1.0}


def test_a_path_alone_is_no_name(written: Desk) -> None:
    with pytest.raises(InvalidInput, match="no name"):
        hits(written, "net/_client.py", "callers")


# --- sentences -----------------------------------------------------------------------------------


@table(
    ("query", "mode", "first", "why"),
    [
        ("who calls makeClient", "callers", "web/src/app.ts", "calls it"),
        ("callers of shop.store.session.session_store", "callers", "shop/web.py", "calls it"),
        ("session store", "callers", "shop/store/session.py", "calls it"),
        ("who imports shop.store.session", "importers", "shop/admin.py", "imports it"),
        ("make client", "importers", "web/src/app.ts", "imports it"),
        ("SessionStore", "importers", "shop/store/__init__.py", "imports it"),
        ("tests of the session_store function", "tests", "tests/test_flow.py", "uses it"),
        ("port settings", "config", "config/web.yml", "sets it"),
    ],
)
def test_a_sentence_may_name_code(desk: Desk, query: str, mode: str, first: str, why: str) -> None:
    answer = desk.run("search", query=query, mode=mode)
    found = answer.hits
    assert first in [hit.path for hit in found], [(hit.path, hit.why) for hit in found]
    assert next(hit for hit in found if hit.path == first).why[0] == why
    assert not answer.notes or "its words" not in answer.notes[0]


@table(
    ("query", "mode", "first"),
    [
        ("make sure nothing is tested", "tests", "tests/test_session.py"),
        ("which cache is switched on", "config", "config/session_store.yml"),
        ("load a key from somewhere", "callers", "shop/store/session.py"),
    ],
)
def test_a_sentence_without_a_name_is_searched_by_its_words(
    desk: Desk, query: str, mode: str, first: str
) -> None:
    """Test files and configuration are those of their modes, whatever else holds the words."""
    answer = desk.run("search", query=query, mode=mode)
    assert answer.hits[0].path == first, [(hit.path, hit.why) for hit in answer.hits]
    assert "The question names no code, so it was searched by its words." in answer.notes
    kind = {"tests": "test", "config": "config"}.get(mode)
    assert kind is None or {hit.file_kind for hit in answer.hits} == {kind}
