"""When a plan goes against what was said, and when it does not (ML-26)."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from gitmem.memory.conflict import TextConflict, find_text_conflict, read_text_stance, words_by_stem
from gitmem.text.stem import strip_inflection
from tests.support.tables import table

WORDS = (
    "use not never no avoid instead of replace with over prefer and or , . because if remove apsw "
    "sqlite3 the tabs spaces tests deploy run without is do forbidden redis cache workers shared"
)
TEXTS = st.lists(st.sampled_from(WORDS.split()), max_size=14).map(" ".join)


def clash(plan: str, message: str, *, least: int = 1) -> TextConflict | None:
    return find_text_conflict(read_text_stance(plan), read_text_stance(message), min_words=least)


@table(
    ("plan", "text", "terms"),
    [
        ("switch the store to sqlite3", "Use apsw, not sqlite3", ("sqlite3",)),
        ("replace apsw with sqlalchemy", "Use apsw, not sqlite3", ("apsw",)),
        ("use spaces instead of tabs", "Use tabs instead of spaces", ("spaces", "tabs")),
        ("start a daemon that watches files", "One file, no daemon", ("daemon",)),
        ("deploy on Friday", "Never deploy on Fridays", ("deploy", "friday")),
        ("add a dependency on requests", "Prefer httpx over requests", ("requests",)),
        ("drop httpx", "Prefer httpx over requests", ("httpx",)),
        ("use compile()", "Never use eval, exec or compile", ("compile",)),
        ("print debug output", "print is forbidden", ("print",)),
        ("store it in mysql", "Rejected: sqlite3, mysql or postgres", ("mysql",)),
        ("move to Redis 7", "We no longer use Redis", ("redis",)),
        ("force push to main", "never push to main unless it is a hotfix", ("main", "push")),
        ("share the cache between workers", "The cache isn't shared between workers",
         ("between", "share", "workers")),
        ("test with mocks", "Test against a real database, never against mocks", ("mocks",)),
    ],
)  # fmt: skip
def test_a_plan_that_wants_what_was_turned_down_clashes_and_says_in_which_words(
    plan: str, text: str, terms: tuple[str, ...]
) -> None:
    found = clash(plan, text)
    assert found is not None
    assert found.terms == terms
    assert "says" in found.why


@table(
    ("plan", "text"),
    [
        ("keep apsw and upgrade it", "Use apsw, not sqlite3"),
        ("do not use sqlite3", "Use apsw, not sqlite3"),
        ("don't remove sqlite3 yet", "Use apsw"),
        ("run migrations in CI", "Do not run migrations by hand"),
        ("deploy on Monday", "Never deploy on Fridays"),
        ("mark slow tests", "Tests are not slow"),
        ("read the file", "Do not read and write the same file"),
        ("use apsw", "Don't use sqlite3, apsw is better"),
        ("add a button", "Buttons should not only be blue but also round"),
        ("remove the apsw import from cli.py", "Use apsw, not sqlite3"),
        ("handle users who do not log in", "They don't log errors"),
        ("upgrade apsw, since sqlite3 lacks extensions", "Use apsw, not sqlite3"),
        ("paint the shed", "Never deploy on Fridays"),
    ],
)
def test_a_plan_that_only_speaks_of_the_same_does_not(plan: str, text: str) -> None:
    assert clash(plan, text) is None


@table(
    ("plan", "text", "clashes"),
    [
        ("use prefect", "We orchestrate with Airflow. Prefect was tried and dropped", True),
        ("support yaml", "Settings are TOML. YAML was considered and rejected", True),
        ("store it in mongodb", "Use postgres. We tried MongoDB for it and lost data", True),
        ("load images with glide", "Glide was removed because of leaks", True),
        ("write an environment.yml", "The environment is gone", True),
        ("send telemetry", "No telemetry is sent", True),
        ("mock the orm", "Use a real database, mocks of the ORM are not accepted", True),
        ("sign by password", "A password is not enough", True),
        ("log the email of a customer", "Customer e-mails must not show up in logs", True),
        ("accept signed images", "Updates are signed and unsigned images get refused", False),
        ("strip musl binaries", "Binaries are linked against musl", False),
        ("use tls", "We use TLS and MD5 is forbidden", False),
        (
            "add graphql",
            "REST it is; GraphQL was evaluated and turned down because of caches",
            True,
        ),
        ("use rest", "GraphQL was turned down since we have REST", False),
        ("call unsafe code in the core", "The core stays free of unsafe code", True),
        ("set a memory limit", "Pods declare memory limits, but no CPU limits", False),
        ("set a cpu limit", "Pods declare memory limits, but no CPU limits", True),
        ("log the secret", "Secrets must not be logged", True),
        ("rotate the secrets", "Secrets must not be logged", False),
        ("log in with a password", "Secrets must not be logged", False),
        ("delete an old order", "Orders are never deleted", True),
        ("show an old order", "Orders are never deleted", False),
    ],
)
def test_what_was_dropped_or_may_not_be_is_turned_down_and_no_more(
    plan: str, text: str, clashes: bool
) -> None:
    assert (clash(plan, text) is not None) == clashes


def test_of_a_decision_about_the_same_half_of_the_words_are_enough() -> None:
    plan, message = (
        read_text_stance("release it on friday"),
        read_text_stance("Never deploy on a Friday"),
    )
    assert find_text_conflict(plan, message) is None
    assert find_text_conflict(plan, message, is_decision=True) is not None
    plan, message = read_text_stance("replace celery by rq"), read_text_stance("Jobs run on Celery")
    assert find_text_conflict(plan, message) is None
    assert find_text_conflict(plan, message, is_decision=True) is not None


@table(
    ("plan", "clashes"),
    [
        ("encrypt the sessions", False),
        ("let sessions end after an hour", False),
        ("keep sessions in Redis", True),
        ("cache pages in Redis", True),
    ],
)
def test_what_was_turned_down_has_to_be_named_and_not_only_what_for(
    plan: str, clashes: bool
) -> None:
    for message in ("We decided against Redis for sessions", "Do not use Redis for sessions"):
        found = find_text_conflict(
            read_text_stance(plan), read_text_stance(message), is_decision=True
        )
        assert (found is not None) == clashes, message


def test_what_is_only_stated_not_to_be_so_is_gone_against_in_all_its_words() -> None:
    """Of a rule three words of four are enough; "is not" forbids only what it describes whole."""
    for message, clashes in (
        ("Never share caches between workers", True),
        ("Caches are not shared between Python workers", False),
        ("Caches are not shared between workers", True),
    ):
        assert (clash("share caches between workers", message) is not None) == clashes, message
    assert clash("share between workers", "Never share caches between workers") is not None
    assert clash("share between workers", "The build isn't shared between Python workers") is None


def test_what_only_tells_of_something_must_be_gone_against_in_more_words() -> None:
    assert clash("drop Redis", "We use Redis for the sessions") is not None
    assert clash("drop Redis", "We use Redis for the sessions", least=2) is None


def test_one_word_that_only_occurs_somewhere_was_not_chosen_there() -> None:
    assert clash("use files instead of logging", "logging goes to standard error") is None
    assert clash("use files instead of logging", "always use logging") is not None


@example("replace not replace")
@given(TEXTS)
def test_no_text_goes_against_itself(text: str) -> None:
    assert clash(text, text) is None


@given(TEXTS, TEXTS)
def test_the_words_of_a_clash_stand_in_both_texts(plan: str, said: str) -> None:
    found = clash(plan, said)
    if found is not None:
        there = words_by_stem(plan).keys() & words_by_stem(said).keys()
        assert found.terms
        assert {strip_inflection(word) for word in found.terms} <= there


@given(TEXTS, TEXTS)
def test_case_and_white_space_do_not_count(plan: str, said: str) -> None:
    assert clash(plan.upper(), said.replace(" ", "  ")) == clash(plan, said)


@given(TEXTS)
def test_nothing_is_wanted_and_turned_down_at_once(text: str) -> None:
    found = read_text_stance(text)
    refused = {stem for phrase in found.turns_down for stem in phrase.stems}
    assert not refused & found.wants.keys()


@given(st.lists(st.sampled_from(["apsw", "redis", "cache", "tabs", "keep"])).map(" ".join), TEXTS)
def test_a_text_that_turns_nothing_down_clashes_only_with_one_that_does(
    plain: str, other: str
) -> None:
    if not read_text_stance(other).turns_down:
        assert clash(plain, other) is None


def test_pages_of_text_are_read_in_time() -> None:
    assert clash("use apsw " * 5000, "not sqlite3 " * 5000) is None
