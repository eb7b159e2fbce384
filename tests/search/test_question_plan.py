"""Which verbs a question needs, and why: the table of rules (CE-12, CE-20)."""

from __future__ import annotations

from gitmem.search.question import parse_question
from gitmem.search.question_plan import MOST_STEPS, RULES, max_sources_of_question, plan_question
from tests.support.timing import assert_linear

# A question -> its kind, and the commands of its plan but the last, which is always the whole one.
QUESTIONS = {
    # Of a known form: the verb that knows first, then what is done where it does not know the name.
    "Who calls load_config?": (
        "callers",
        ['gitmem graph "load_config" --callers', 'gitmem search "load_config" --mode callers',
         'gitmem search "load_config" --mode symbol'],
    ),
    "What does load_config call?": (
        "callees",
        ['gitmem graph "load_config" --callees', 'gitmem search "load_config" --mode symbol'],
    ),
    "subclasses of Pool": ("subclasses", ['gitmem graph "Pool" --subclasses']),
    "who imports _pytest.scope": (
        "importers",
        ['gitmem graph "_pytest.scope" --importers',
         'gitmem search "_pytest.scope" --mode importers',
         'gitmem search "_pytest.scope" --mode symbol'],
    ),
    "Which tests cover load_config?": (
        "tests",
        ['gitmem impact "load_config"', 'gitmem search "load_config" --mode tests',
         'gitmem search "load_config" --mode symbol'],
    ),
    # Not the whole of a question: no form.
    "Who calls load_config while the server starts, and what is passed?": (
        "callers",
        ['gitmem search "load_config" --mode callers', 'gitmem search "load_config" --mode symbol'],
    ),
    "Where in a.b.C.d is the pool used?": (
        "definition", ['gitmem search "a.b.C.d" --mode symbol']),
    "what is src/cart.py::Cart.add for, e.g. in app.py": (
        "definition", ['gitmem search "src/cart.py::Cart.add" --mode symbol']),
    "who calls for help": ("general", []),
    "in which modules is `json_tools` imported lazily": (
        "importers",
        ['gitmem search "json_tools" --mode importers', 'gitmem search "json_tools" --mode symbol'],
    ),
    "which of the tests cover load_config?": (
        "tests",
        ['gitmem search "load_config" --mode tests', 'gitmem search "load_config" --mode symbol'],
    ),
    "What did we decide about Redis?": (
        "decision", ['gitmem recall "Redis" --kind "decision"',
                     'gitmem recall "What did we decide about Redis?"']),
    "Was it decided how Redis is restarted?": (
        "decision", ['gitmem recall "Was it decided how Redis is restarted?"']),
    "find memories about Redis": ("memory", ['gitmem recall "find memories about Redis"']),
    "what do we remember about the pool": (
        "memory", ['gitmem recall "what do we remember about the pool"']),
    "When was the retry added?": (
        "history", ['gitmem search "When was the retry added?" --in commits']),
    "Which option sets max_retries": (
        "config",
        ['gitmem search "max_retries" --mode config', 'gitmem search "max_retries" --mode symbol'],
    ),
    "Where is RedisPool defined?": ("definition",
                                    ['gitmem search "RedisPool" --mode symbol']),
    "RedisPool": ("definition", ['gitmem search "RedisPool" --mode symbol']),
    "ValueError: bad port": ("error", ['gitmem search "ValueError" --mode symbol']),
    "ECONNRESET when the pool is full": ("error", []),
    "what does src/app.py do": ("file", []),
    "how are redirects followed": ("general", []),
    # Words of a rule that are meant otherwise.
    "status": ("definition", ['gitmem search "status" --mode symbol']),
    "clean up files": ("general", []),
    "How is the index of a list found?": ("general", []),
}  # fmt: skip


def test_each_wording_has_its_steps_and_the_whole_question_comes_last() -> None:
    for text, (kind, commands) in QUESTIONS.items():
        found = plan_question(parse_question(text))
        assert [step.command for step in found.steps[:-1]] == commands, text
        assert found.kind == kind, text
        assert (found.steps[-1].verb, found.steps[-1].argument) == ("search", text)
        assert all(step.why and step.runs for step in found.steps) and 0 < found.sure < 1


def test_what_is_no_question_gets_its_verb_and_runs_nothing() -> None:
    for text, verb in {
        "remember that Redis is on 6380": "remember",
        "store this note: Redis is on 6380": "remember",
        "save a memory that Redis is on 6380": "remember",
        "please reindex": "index",
        "recreate the index from scratch": "index",
        "prune stale points from the index": "index prune",
        "clean up old memories": "decay",
        "list all memories": "list",
        "list the projects": "projects",
        "what is the status": "status",
        "show the status of the index": "status",
        "index status": "status",
    }.items():
        found = plan_question(parse_question(text))
        assert [(step.verb, step.runs) for step in found.steps] == [(verb, False)], text


def test_smart_limits() -> None:
    for text, most in {
        "redis port": 15,
        "RedisPool": 15,
        "which port": 8,
        "How are sessions signed": 8,
        "redis pool port?": 8,
        "make the client retry once": 10,
    }.items():
        assert max_sources_of_question(parse_question(text)) == most, text


def test_a_hundred_names_make_a_short_plan_that_says_so() -> None:
    found = plan_question(parse_question(" ".join(f"load_part_{number}" for number in range(100))))
    assert len(found.steps) == MOST_STEPS
    assert found.left_out > 0
    assert found.steps[-1].why.startswith("the whole question")


def test_a_long_question_is_shown_short_in_its_command() -> None:
    found = plan_question(parse_question("why " + "so very " * 500))
    assert len(found.steps[-1].command) < 200
    assert "\n" not in plan_question(parse_question("why\nis\nit")).steps[-1].command


def test_a_long_question_is_planned_in_time_proportional_to_it() -> None:
    for part in ("so very ", "what does ", "who calls ", "do call "):
        assert_linear(
            lambda count, part=part: plan_question(parse_question(f"why {part * count}")), 400
        )


def test_every_rule_has_a_reason_and_a_question_above() -> None:
    kinds = {kind for kind, _ in QUESTIONS.values()} | {"command"}
    assert {rule.kind for rule in RULES} <= kinds
    assert all(rule.why for rule in RULES)
