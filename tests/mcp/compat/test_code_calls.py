"""The documented calls that search code and its history, on a repository made for them."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from gitmem.errors import InvalidInput, NotFound
from tests.mcp.agents import Agent
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder

FILES = {
    "src/auth.py": (
        "RETRIES = 3\n\n\n"
        "class AuthService:\n"
        '    """Handles authentication."""\n\n'
        "    def verify_token(self, token):\n"
        '        """Whether a token is valid."""\n'
        "        return bool(token) and RETRIES\n"
    ),
    "src/app.py": "from auth import AuthService\n\nservice = AuthService()\n",
    "web/retryLink.ts": (
        "/** Retries what failed. */\n"
        "export function retryLink(opts: { retries: number }) {\n  return opts.retries\n}\n"
    ),
    "web/client.ts": 'import { retryLink } from "./retryLink";\nretryLink({ retries: 3 });\n',
    "tests/test_auth.py": "def test_tokens_expire_after_an_hour():\n    assert True\n",
    "web/retryLink.test.ts": (
        'import { retryLink } from "./retryLink";\n'
        'test("the link retries three times", () => { retryLink({ retries: 3 }) });\n'
    ),
    "src/door.py": (
        "class Visit:\n    def __init__(self, guest):\n        self.guest = guest\n\n\n"
        "def check_badge(guest):\n    return guest.badge\n\n\n"
        'def admit(guest):\n    """Opens the door."""\n    if not check_badge(guest):\n'
        "        raise PermissionError(guest)\n    return Visit(guest)\n"
    ),
    "src/ledger.py": "def close_the_year(book):\n"
    + "".join(f"    book.add({number})\n" for number in range(60))
    + '    book.note("carried forward to the pelican account")\n    return book\n',
    "pyproject.toml": "[tool.coverage.run]\nbranch = true\nsource = ['src']\n",
    "native/shape.rs": "pub struct Point { x: i32 }\n\npub trait Draw { fn draw(&self); }\n",
    "docs/tokens.md": "# Tokens\n\nA token expires; coverage is measured.\n",
}


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Agent:
    """An agent of the other systems in a repository that is indexed once."""
    repo = RepoBuilder(tmp_path_factory.mktemp("code") / "repo")
    repo.commit("Add the service", FILES)
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    return Agent(desk, "compat")


def search(agent: Agent, query: str, **arguments: Any) -> dict[str, Any]:
    found: dict[str, Any] = agent.data("context.searchCode", query=query, **arguments)
    return found


# --- context.searchCode --------------------------------------------------------------------------


def test_a_symbol_has_its_plain_kind_signature_comment_and_lines(agent: Agent) -> None:
    (found,) = search(agent, "verify_token", mode="symbol")["results"]
    assert found["language"] == "python"
    assert found["symbol"] == {
        "name": "verify_token",
        "kind": "method",
        "signature": "def verify_token(self, token)",
        "docComment": "Whether a token is valid.",
        "lineStart": 7,
        "lineEnd": 9,
    }


def test_the_kind_narrows_a_search_for_text(agent: Agent) -> None:
    """CF-33: to lines in definitions of the kind."""
    (inside,) = search(agent, "RETRIES", mode="text", symbolKind="method")["results"]
    assert (inside["lineStart"], inside["symbol"]["name"]) == (9, "verify_token")
    (imported,) = search(agent, "AuthService", mode="text", symbolKind="import")["results"]
    assert (imported["filePath"], imported["lineStart"]) == ("src/app.py", 1)


def test_a_semantic_hit_tells_the_definition_it_is_part_of(agent: Agent) -> None:
    found = search(agent, "class AuthService verify token", symbolKind="class")["results"]
    assert found[0]["symbol"]["name"] == "AuthService"
    assert {hit["symbol"]["kind"] for hit in found} == {"class"}


def test_a_hit_of_a_text_search_holds_the_text(agent: Agent) -> None:
    (found,) = search(agent, "def verify_token", mode="text")["results"]
    assert "def verify_token" in found["content"]
    assert (found["lineStart"], found["symbol"]["name"]) == (7, "verify_token")


def test_a_text_that_no_line_holds_is_looked_for_by_its_words(agent: Agent) -> None:
    found = search(agent, "token authentication", mode="text")["results"]
    assert found[0]["filePath"] == "src/auth.py"
    assert not search(agent, "zebra quagga", mode="text")["results"]


@pytest.mark.parametrize(
    ("kind", "query", "path", "expected"),
    [
        ("const", "RETRIES", "src/auth.py", "const"),
        ("class", "Point", "native/shape.rs", "class"),
        ("interface", "Draw", "native/shape.rs", "interface"),
        ("export", "retryLink", "web/retryLink.ts", "function"),
        ("import", "AuthService", "src/app.py", "import"),
        ("test", "test_tokens_expire_after_an_hour", "tests/test_auth.py", "function"),
    ],
)
def test_kinds_of_symbols(agent: Agent, kind: str, query: str, path: str, expected: str) -> None:
    (found,) = search(agent, query, mode="symbol", symbolKind=kind)["results"]
    assert (found["filePath"], found["symbol"]["name"]) == (path, query)
    assert found["symbol"]["kind"] == expected


def test_tests_that_are_no_definitions_are_those_that_use_the_name(agent: Agent) -> None:
    found = search(agent, "retryLink", mode="symbol", symbolKind="test")["results"]
    assert [hit["filePath"] for hit in found] == ["web/retryLink.test.ts"]


def test_a_kind_that_nothing_is_of_is_refused(agent: Agent) -> None:
    with pytest.raises(InvalidInput, match="gadget") as refused:
        search(agent, "x", mode="symbol", symbolKind="gadget")
    assert "interface" in refused.value.hint


def test_the_index_tells_when_it_was_made_and_its_symbols(agent: Agent) -> None:
    status = search(agent, "token")["indexStatus"]
    assert datetime.fromisoformat(status["lastIndexed"]).year > 2000
    assert status["totalSymbols"] >= 5
    assert (status["totalFiles"], status["isStale"]) == (len(FILES), False)


def test_content_is_left_out_on_request(agent: Agent) -> None:
    (found,) = search(agent, "AuthService", mode="symbol", includeContent=False)["results"]
    assert "content" not in found


def test_a_passage_inside_a_definition_tells_its_symbol(agent: Agent) -> None:
    """CE-3: also where the definition begins in an earlier passage."""
    output = agent.data("repo_search", query="carried forward to the pelican account")
    hit = output["results"][0]
    assert (hit["symbol"], hit["metadata"]["kind"]) == ("close_the_year", "function")
    assert hit["start_line"] > 1


def test_of_several_definitions_in_a_passage_the_answering_one_has_its_name(agent: Agent) -> None:
    """CE-3: name, kind and lines of one definition, also where it calls another before it."""
    hit = agent.data("repo_search", query="admit")["results"][0]
    assert (hit["symbol"], hit["metadata"]["kind"], hit["start_line"]) == ("admit", "function", 1)
    symbol = search(agent, "admit a guest")["results"][0]["symbol"]
    assert (symbol["name"], symbol["lineStart"]) == ("admit", 10)
    output = agent.data("info_request", info_request="admit", include_explanation=True)
    assert output["results"][0]["information"].startswith("Found function 'admit' in src/door.py")
    assert output["grouped_results"]["by_file"]["src/door.py"]["top_symbols"] == ["admit"]


# --- the specialised searches of Context Engine --------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "query", "first"),
    [
        ("search_tests_for", "tokens expire after an hour", "tests/test_auth.py"),
        ("search_tests_for", "retry link", "web/retryLink.test.ts"),
        ("search_config_for", "coverage settings", "pyproject.toml"),
        ("search_config_for", "source of coverage measured by branch", "pyproject.toml"),
        ("search_callers_for", "retry link", "web/client.ts"),
        ("search_importers_for", "who imports AuthService", "src/app.py"),
    ],
)
def test_queries_are_read_as_sentences(agent: Agent, tool: str, query: str, first: str) -> None:
    found = agent.data(tool, query=query)["results"]
    assert found[0]["path"] == first, found


# --- its history ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory) -> Agent:
    """A repository with a file that was renamed and changed in three years."""
    repo = RepoBuilder(tmp_path_factory.mktemp("past") / "repo")
    body = "".join(f"def step_{n}():\n    return {n}\n\n\n" for n in range(12))
    repo.commit("Add the scope module", {"src/old.py": body}, when="2021-03-01T10:00:00Z")
    repo.git("mv", "src/old.py", "src/scope.py")
    repo.commit("Rename the scope module", when="2022-03-01T10:00:00Z")
    repo.commit(
        "Widen the scope module",
        {"src/scope.py": body + "# wide\n", "tests/test_scope.py": "x = 1\n"},
        author="Grace <g@example.org>",
        when="2023-03-01T10:00:00Z",
    )
    repo.commit("Tell of the scope module", {"docs/a.md": "# A\n"}, when="2024-03-01T10:00:00Z")
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    return Agent(desk, "compat")


def test_the_history_of_a_path_has_its_dates_churn_and_commits(past: Agent) -> None:
    output = past.data("change_history_for_path", path="src/scope.py", include_commits=True)
    assert output["summary"] == {
        "path": "src/scope.py",
        "first_modified": "2021-03-01T10:00:00Z",
        "last_modified": "2023-03-01T10:00:00Z",
        "commits": 3,
        "churn_count_max": 3,
        "authors": ["Ada Lovelace", "Grace"],
        "changed_with": [],
    }
    assert [(row["message"], row["author"], row["date"][:4]) for row in output["commits"]] == [
        ("Widen the scope module", "Grace", "2023"),
        ("Rename the scope module", "Ada Lovelace", "2022"),
        ("Add the scope module", "Ada Lovelace", "2021"),
    ]
    assert "commits" not in past.data("change_history_for_path", path="src/scope.py")


def test_a_path_that_is_gone_is_refused_with_what_has_its_history(past: Agent) -> None:
    """CE-17"""
    with pytest.raises(NotFound) as refusal:
        past.data("change_history_for_path", path="src/old.py")
    assert "gitmem timeline src/old.py" in refusal.value.hint
    assert past.data("search_commits_for", query="scope module", path="src/old.py")["total"]
    with pytest.raises(NotFound) as refusal:
        past.data("change_history_for_path", path="src/never.py")
    assert "timeline" not in refusal.value.hint


@pytest.mark.parametrize(
    ("filters", "years"),
    [
        ({"path": "src/scope.py"}, {"2022", "2023"}),
        ({"path": "docs/**"}, {"2024"}),
        ({"until": "2022-12-31"}, {"2021", "2022"}),
        ({"since": "2022-01-01", "until": "2023-12-31"}, {"2022", "2023"}),
        ({"path": "src/", "author": "grace", "until": "2022-12-31"}, set()),
    ],
)
def test_commits_are_filtered(past: Agent, filters: dict[str, str], years: set[str]) -> None:
    found = past.data("search_commits_for", query="scope module", **filters)["results"]
    assert {row["date"][:4] for row in found} == years


# --- what a piece of code rests on ---------------------------------------------------------------

COPY = (
    "def send(order, till, clerk):\n    total = till.add(order.items, clerk.discount)\n"
    "    receipt = till.print(total, order.number)\n    clerk.hand_over(receipt)\n"
    "    return receipt\n"
)
NEW = "async def frobnicate(zig, zag):\n    for quux in zig:\n        yield zag(quux, 42, 'zonk')\n"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Agent:
    """A repository with a function that others write again, and a decision about its file."""
    repo = RepoBuilder(tmp_path_factory.mktemp("copies") / "repo")
    repo.commit("Add the till", {"shop/till.py": COPY, "shop/other.py": "LIMIT = 3\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    desk.run("decide", title="One till", why="Less to count", path=("shop/till.py",))
    desk.run("decide", title="Of another file", why="Told apart", path=("shop/other.py",))
    return Agent(desk, "compat")


@pytest.mark.parametrize("gateway", [False, True])
def test_the_sources_of_code_are_near_copies_and_decisions(shop: Agent, gateway: bool) -> None:
    """ML-22 and CE-26: with other names, too."""
    code = COPY.replace("clerk", "seller")
    if gateway:
        output = shop.data("memory_query", action="sources", code=code)["sources"]
    else:
        output = shop.data("list_sources", code=code)
    (found,) = output["codebase"]
    assert (found["file"], found["line_start"], found["function"]) == ("shop/till.py", 1, "send")
    assert 0.5 <= found["similarity"] < 1
    assert [decision["title"] for decision in output["decisions"]] == ["One till"]
    assert output["patterns"] == []


def test_the_confidence_of_code_is_the_part_that_is_known(shop: Agent) -> None:
    whole = shop.data("get_confidence", code=COPY)
    assert (whole["confidence"], whole["score"], whole["warnings"]) == ("high", 100, [])
    assert whole["sources"]["codebase"][0]["similarity"] == 1
    part = shop.data("memory_query", action="confidence", code=COPY + NEW)["confidence"]
    assert 30 <= part["score"] < 90
    none = shop.data("get_confidence", code=NEW)
    assert (none["confidence"], none["score"]) == ("guess", 0)
    assert none["sources"] == {"codebase": [], "decisions": [], "patterns": []}
    assert none["reasoning"] == "No code is like it."


def test_a_line_of_code_is_compared_as_a_whole(shop: Agent) -> None:
    """ML-22: too short to compare parts of it, and ``code`` alone says what is asked."""
    line = "total = till.add(order.items, clerk.discount)"
    known = shop.data("memory_query", code=line)["confidence"]
    assert (known["score"], known["reasoning"]) == (100, "1 place in the code is nearly the same.")
    other = shop.data("get_confidence", code=line.replace("order", "parcel"))
    assert (other["score"], other["reasoning"]) == (0, "No code is like it.")
    assert "too short" in shop.data("get_confidence", code="total =")["reasoning"]


def test_a_search_for_pasted_code_tells_near_copies(shop: Agent) -> None:
    best, *_ = shop.desk.run("search", query=COPY.replace("clerk", "seller")).hits
    assert best.path == "shop/till.py"
    assert any(reason.startswith("near copy 0.") for reason in best.why), best.why
    for query in (NEW, "where is the receipt of an order that a clerk hands over printed"):
        assert "near copy" not in repr(shop.desk.run("search", query=query).hits)


def test_a_pasted_piece_is_shown_before_other_pieces_of_its_file(tmp_path: Path) -> None:
    """CE-26: also where it names what another piece defines."""
    save = (
        "    def keep(self, app, session: SessionMixin, response):\n"
        "        name = self.get_cookie_name(app)\n"
        "        domain = self.get_cookie_domain(app)\n"
        "        if not session and session.modified:\n"
        "            response.delete_cookie(name, domain=domain)\n"
    )
    words = "save session app response cookie name domain modified delete cookie get self"
    filler = "\n\n".join(f"def part{n}():\n    return {n}\n" for n in range(60))
    mixin = f'class SessionMixin:\n    """{words} {words}"""\n\n    modified = True\n'
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Add", {"src/sessions.py": f"{mixin}\n\n{filler}\n\nclass Cookies:\n{save}"})
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_hooks=True)
    hit = desk.run("search", query=save, sources=("code",)).hits[0]
    assert (hit.start_line or 0) > 100 and "near copy 1.00" in hit.why, hit
    hits = Agent(desk, "compat").data("repo_search", query=save)["results"]
    assert hits[0]["start_line"] > 100


def test_a_definition_stands_before_uses_and_imports_in_a_search_for_text(tmp_path: Path) -> None:
    """CF-33: by the lines that hold the name."""
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Add", {
        "src/__init__.py": "from .zeta import render_page\n",
        "src/app.py": "from .zeta import render_page\n\n\ndef home():\n    return render_page()\n",
        "src/zeta.py": "def render_page():\n    return ''\n",
    })  # fmt: skip
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_hooks=True)
    hits = search(Agent(desk, "compat"), "render_page", mode="text", limit=5)["results"]
    assert [(hit["filePath"], hit["lineStart"]) for hit in hits] == [
        ("src/zeta.py", 1), ("src/app.py", 5), ("src/__init__.py", 1), ("src/app.py", 1),
    ]  # fmt: skip


def test_confidence_needs_code(shop: Agent) -> None:
    for tool, given in (("get_confidence", {}), ("memory_query", {"action": "sources"})):
        with pytest.raises(InvalidInput, match="'code' is missing"):
            shop.data(tool, **given)


# --- names of arguments, suggestions, checks -----------------------------------------------------


@pytest.mark.parametrize("name", ["q", "text"])
def test_a_documented_call_takes_the_usual_names_of_its_arguments(agent: Agent, name: str) -> None:
    """CE-13"""
    usual = agent.data("code_search", **{name: "verify token", "top_k": 1})
    documented = agent.data("code_search", query="verify token", limit=1)
    assert [hit["path"] for hit in usual["results"]] == ["src/auth.py"]
    assert usual["results"] == documented["results"] and usual["query"] == "verify token"


def test_a_suggestion_shows_the_definition_and_not_a_line_of_the_passage(agent: Agent) -> None:
    """ML-36"""
    suggestions = agent.data("suggest_existing", intent="retry a link that failed")["suggestions"]
    (link,) = [each for each in suggestions if each["name"] == "retryLink"]
    assert link["signature"].startswith("function retryLink(opts") and link["line"] == 2
    assert link["description"] == "Retries what failed."
    for each in suggestions:
        assert each["name"].rpartition(".")[2] in each["signature"]


def test_a_long_function_is_suggested_by_a_passage_within_it(tmp_path: Path) -> None:
    """ML-36: the passage that answers best has no name of its own."""
    body = "".join(f"    total_{at} = rate * {at}\n" for at in range(60))
    middle = "    # convert the invoice into another currency\n    currency = pick_currency(rate)\n"
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit(
        "Add money", {"money.py": f"def settle(rate):\n{body}{middle}{body}    return rate\n"}
    )
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_hooks=True)
    (found,) = Agent(desk, "compat").data(
        "suggest_existing", intent="convert an invoice into another currency"
    )["suggestions"]
    assert (found["name"], found["line"], found["signature"]) == ("settle", 1, "def settle(rate)")


def test_all_that_a_change_affects_is_reported_tests_included(tmp_path: Path) -> None:
    """ML-20: more than thirty files, of which the last ones are tests."""
    repo = RepoBuilder(tmp_path / "repo")
    files = {f"tests/test_{at:02}.py": "import core\n" for at in range(40)}
    repo.commit("Add the core", {"core.py": "def run():\n    return 1\n", **files})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    reached = Agent(desk, "compat").data("get_impact_analysis", file="core.py")
    assert len(reached["affected_tests"]) == len(reached["affected_files"]) == 40
    assert reached["total_affected"] == 40


def test_code_that_no_pattern_is_for_is_not_called_valid(shop: Agent) -> None:
    """ML-36"""
    swallow = "try:\n    load()\nexcept OSError:\n    pass\n"
    unchecked = shop.data("validate_pattern", code=swallow)
    assert (unchecked["valid"], unchecked["score"]) == (None, None)
    shop.desk.run("pattern learn", built_in="compare-none-with-is")
    assert shop.data("validate_pattern", code="let x = y.unwrap();")["valid"] is None
    shop.desk.run("pattern learn", built_in="errors")
    assert shop.data("validate_pattern", code="((( no code")["valid"] is None
    assert shop.data("validate_pattern", code="load()\n")["valid"] is True
    violated = shop.data("validate_pattern", code=swallow)
    assert violated["valid"] is False and violated["score"] < 100


def test_a_gate_rejects_what_a_pattern_and_a_decision_speak_against(agent: Agent) -> None:
    """ML-21, ML-24"""
    desk = agent.desk
    desk.run("remember", text="Never call `eval()`.", kind="convention")
    clean = agent.data("memory_review", code="retry()\n", action="pattern")
    assert (clean["verdict"], clean["risk_score"]) == ("approve", 0)
    bad = agent.data("memory_review", code="x = eval('1')\n", action="pattern")
    assert (bad["verdict"], bad["risk_score"]) == ("warning", 40)
    (violation,) = bad["patterns"]["violations"]
    assert (violation["rule"], violation["severity"]) == ("no-eval", "critical")
    desk.run("decide", title="Use SQLite, not Redis, for sessions", why="One file")
    intent = "use Redis for sessions"
    whole = agent.data("memory_review", code="x = eval('1')\n", intent=intent)
    assert (whole["verdict"], whole["risk_score"]) == ("reject", 70)
    assert whole["conflicts"]["has_conflicts"] is True
    assert whole["sources_used"] == ["validate_pattern", "check_conflicts", "suggest_existing"]
    assert "test_impact" not in whole


def test_a_gate_says_what_the_risk_of_a_change_is_made_of(agent: Agent) -> None:
    """ML-24: also without an intent, which finds the decisions by words."""
    agent.desk.run("decide", title="No memcached", why="Do not use memcached; use SQLite instead")
    code = "import memcached\n"
    for more in ({}, {"action": "tests"}, {"action": "coverage"}):
        review = agent.data("memory_review", code=code, file="src/auth.py", **more)
        assert (review["verdict"], review["risk_score"] >= 30) == ("warning", True)
        assert 'it imports memcached, against the decision "No memcached"' in review["reasons"][0]
        assert "2 warnings" in review["reasons"]  # and no manifest lists it
    assert "reasons" not in agent.data("memory_review", code=code)


def test_what_a_file_imports_is_predicted_after_one_commit_of_many_files(tmp_path: Path) -> None:
    """ML-17: all of them changed together, and there are ten places."""
    repo = RepoBuilder(tmp_path / "repo")
    files = {f"docs/page_{at:02}.md": "# Page\n" for at in range(20)}
    code = {"src/app.py": "from zebra import stripes\n", "src/zebra.py": "stripes = 2\n"}
    repo.commit("Start", {**files, **code})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    arguments = {"current_file": "src/app.py", "query": "how many stripes"}
    result = Agent(desk, "compat").data("get_predicted_files", **arguments)
    assert result["predicted_files"][0] == "src/zebra.py" and len(result["predicted_files"]) == 10


def test_a_review_names_existing_definitions(agent: Agent) -> None:
    """ML-24: each by its own name, with its own signature."""
    review = agent.data("memory_review", code="x = 1\n", intent="how is a token verified")
    assert review["existing_alternatives"]
    for each in review["existing_alternatives"]:
        assert each["name"] in each["signature"]


def test_a_verdict_is_of_what_a_request_sends(agent: Agent) -> None:
    """ML-25: as the page of calls says; a check that nobody knows is refused."""
    head = "import os\n\n\ndef run(request, name):\n    "
    for line, safe in (
        ("os.system('ls ' + request.args['x'])", False),
        ("os.system('ls ' + name)", True),
        ("eval(name)", True),
        ("db.execute('SELECT * FROM t WHERE a=' + name)", False),
        ("hashlib.md5(password)", False),
        ("hashlib.md5(name)", True),
    ):
        answer = agent.data("memory_verify", code=f"{head}{line}\n", checks=["security"])
        assert answer["security"]["safe"] is safe, line
    assert agent.data("memory_verify", code="x = 1\n", checks=["patterns"])["verdict"] == "pass"
    with pytest.raises(InvalidInput, match="checks cannot be 'nope'"):
        agent("memory_verify", code="x = 1\n", checks=["security", "nope"])


def test_the_health_of_a_context_needs_a_session(tmp_path: Path) -> None:
    """ML-31: what no host tells is unknown; a viewed file holds words of the goal."""
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Shop", {"src/tokens.py": "KEY = 1\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    agent = Agent(desk, "compat")
    with pytest.raises(NotFound, match="There is no session yet"):
        agent("get_context_health")
    agent("session_start", goal="Sign token headers")
    agent("get_file_context", path="src/tokens.py")
    health = agent.data("get_context_health")
    assert (health["health"], health["tokens_used"]) == ("unknown", None)
    assert health["suggestions"] == ["headers", "sign"]


def test_a_prediction_without_a_file_needs_a_session(agent: Agent) -> None:
    """ML-22"""
    answer = agent.data("memory_query", action="predict", query="tokens")
    assert answer["predicted_files"] == {"files": [], "pre_fetched": 0}


def test_a_change_of_a_file_names_its_tests(tmp_path: Path) -> None:
    """ML-37"""
    repo = RepoBuilder(tmp_path / "repo")
    test = "from shop.cart import total\n\n\ndef test_total():\n    assert total([1]) == 1\n"
    cart = "def total(prices):\n    return sum(prices)\n"
    repo.commit("Shop", {"shop/cart.py": cart, "tests/test_cart.py": test, "conftest.py": ""})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    change = (
        "def total(prices):\n    return sum(prices) or 0\n\n\ndef mean(prices):\n    return 1\n"
    )
    answer = Agent(desk, "compat").data("check_tests", change=change, file="shop/cart.py")
    assert answer["safe"] is True and answer["would_fail"] == []
    assert answer["related_tests"] == [{"file": "tests/test_cart.py"}]
    assert (answer["framework"], answer["coverage_percent"]) == ("pytest", None)
    assert answer["untested"] == ["shop/cart.py:mean"]
    assert (repo.path / "shop/cart.py").read_text() == cart
