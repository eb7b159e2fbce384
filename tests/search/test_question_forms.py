"""Questions of known form: the table, the names and stretches of time in it, what is no form."""

from __future__ import annotations

from gitmem import operations
from gitmem.search import question_forms
from gitmem.search.question_forms import FORMS, LONGEST, match_known_question
from tests.support.timing import assert_linear

# Kind -> question -> the command that answers it.
QUESTIONS = {
    "callers": {
        "Who calls load_config?": 'gitmem graph "load_config" --callers',
        "where is `load` called from?": 'gitmem graph "load" --callers',
        "show me all call sites of the function Cart.add() in this repository":
            'gitmem graph "Cart.add" --callers',
    },
    "callees": {"what does a.b.C.d call": 'gitmem graph "a.b.C.d" --callees'},
    "subclasses": {"which classes inherit from Pool?": 'gitmem graph "Pool" --subclasses'},
    "bases": {"what does Pool inherit from?": 'gitmem graph "Pool" --bases'},
    "importers": {
        "who imports _pytest.scope": 'gitmem graph "_pytest.scope" --importers',
        "where is src/cart.py imported?": 'gitmem graph "src/cart.py" --importers',
    },
    "imports": {"what does src/cart.py import?": 'gitmem graph "src/cart.py" --imports'},
    "tests": {
        "which tests should I run if I change src/cart.py::Cart.add?":
            'gitmem impact "src/cart.py::Cart.add"',
        "is load_config tested?": 'gitmem impact "load_config"',
    },
    "impact": {
        "what breaks if I remove load_config": 'gitmem impact "load_config"',
        "What depends on src/cart.py?": 'gitmem impact "src/cart.py"',
        "is load_config still used anywhere": 'gitmem impact "load_config"',
    },
    "definition": {
        "where is load_config defined?": 'gitmem search "load_config" --mode symbol',
        "which file declares the class Pool": 'gitmem search "Pool" --mode symbol',
        "definition of Cart.add": 'gitmem search "Cart.add" --mode symbol',
    },
    "cycles": {"are there any circular imports in src/net?": 'gitmem cycles --path "src/net"'},
    "added": {
        "when was load_config added?": 'gitmem why "load_config"',
        "in which release was Cart.add introduced": 'gitmem why "Cart.add"',
    },
    "wrote": {"who is the author of Cart": 'gitmem why "Cart"'},
    "changed last": {"who touched Cart most recently?": 'gitmem why "Cart"'},
    "removed": {"why was load_config removed?": 'gitmem why "load_config"'},
    "history": {
        "why is `load` written this way?": 'gitmem why "load"',
        "what happened to src/cart.py": 'gitmem why "src/cart.py"',
        "When and why did load_config change?": 'gitmem why "load_config"',
        "why and when was Cart.add changed": 'gitmem why "Cart.add"',
        "when did Cart.add change and why?": 'gitmem why "Cart.add"',
    },
    "changes": {
        "what changed last week?": 'gitmem changes --since "last week" --until "this week"',
        "What has changed in src/net/ since v1.2?":
            'gitmem changes --path "src/net/" --since "v1.2"',
        "which commits were made between v1.0 and v1.1":
            'gitmem changes --since "v1.0" --until "v1.1"',
        "what changed between 2.0.0 and v2.1 in src/net/http.py?":
            'gitmem changes --path "src/net/http.py" --since "2.0.0" --until "v2.1"',
        "what changed last week in setup.py":
            'gitmem changes --path "setup.py" --since "last week" --until "this week"',
        "what is new in version 2.1.0?": 'gitmem changes --until "2.1.0"',
        "when was v9.0.0 released?": 'gitmem changes --until "v9.0.0"',
        "when did version 2.1 come out": 'gitmem changes --until "2.1"',
        "what did we do in the last 3 days": 'gitmem changes --since "3 days"',
        "summarise the changes of the past week": 'gitmem changes --since "1 week"',
    },
    "broke": {"what broke the build of docs?": 'gitmem why-broke "the build of docs"',
              "why does tests/test_cart.py fail": 'gitmem why-broke "tests/test_cart.py"'},
    "decision": {
        "What did we decide about Redis?": 'gitmem recall "Redis" --kind "decision"',
    },
}  # fmt: skip
# What sounds like a form and is none: no name, or more than the form.
NONE = (
    "who calls for help, and when",
    "when was the retry added?",
    "why is the sky blue",
    "what changes the colour of a button",
    "how are redirects followed",
    "who calls load_config while the server starts",
    "which tests are slow",
    "why does my build fail",
    "where is the pool used in a loop",
    "x" * (LONGEST + 1),
    "",
)


def test_each_form_has_its_verb_and_what_is_asked() -> None:
    for kind, questions in QUESTIONS.items():
        for text, command in questions.items():
            found = match_known_question(text)
            assert found is not None and (found.kind, found.command) == (kind, command), text
            assert found.why and set(found.values) <= set(
                operations.load_operation(found.verb).request_class.__annotations__
            ), text
    assert {form.kind for form in FORMS} == set(QUESTIONS)


def test_what_only_sounds_like_a_form_is_none() -> None:
    assert [text for text in NONE if match_known_question(text) is not None] == []


def test_a_plain_word_is_no_name_that_has_to_be_known() -> None:
    for text, named in {
        "who calls fetch": False,
        "who calls `fetch`": True,
        "who calls the function fetch": True,
        "who calls fetch()": True,
        "who calls Fetch": True,
        "who calls net.fetch": True,
        "what changed since v1.0": True,
        "what changed since the rewrite": False,
    }.items():
        found = match_known_question(text)
        assert found is not None and found.named is named, text


def test_a_form_is_looked_at_only_where_one_of_its_cues_is() -> None:
    for kind, questions in QUESTIONS.items():
        cues = {cue for form in FORMS if form.kind == kind for cue in form.cues.split()}
        for text in questions:
            assert any(cue in text.lower() for cue in cues), (kind, text)


def test_a_form_is_read_in_time_proportional_to_it() -> None:
    for part in ("who calls ", "what changed since ", "the ", "tests run "):
        assert_linear(
            lambda count, part=part: question_forms.match_known_question(
                (f"which {part * count}")[:LONGEST]
            ),
            400,
        )
