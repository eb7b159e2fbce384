"""Where a plan would settle otherwise what was settled without turning anything down."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.memory import settled
from gitmem.memory.conflict import words_by_stem
from gitmem.text.stem import strip_inflection
from tests.support.tables import table

WORDS = st.sampled_from(["cache", "not", "to", "8", "MB", "change", "raise", "enable", "disable"])
TEXTS = st.lists(WORDS, max_size=8).map(" ".join)


def why(plan: str, message: str) -> str:
    found = settled.find_implicit_conflict(plan, message)
    return found.why if found else ""


@table(
    ("plan", "text", "tells"),
    [
        ("raise the upload cap to 128 MB", "Uploads are capped at 64 MB", "64 MB"),
        ("raise the threads to 128", "Threads are capped at 64\nmore does not help", "64"),
        ("retry the export up to 10 times", "The export is retried 3 times", "3 times"),
        ("listen on port 9090", "The api listens on port 8080", "8080"),
        ("allow five retries", "At most three retries are made", "3 retries"),
        ("disable gzip for images", "Enable gzip", '"enable"'),
        ("make the push asynchronous", "The push is synchronous", '"synchronous"'),
        ("rewrite the admin panel as a React app", "The admin panel stays in Jinja", "admin panel"),
        ("switch the queue to Kafka", "The queue runs on Redis", "queue"),
        ("drop Android below Android 12", "The minimum Android is Android 9", "says 12"),
        ("let branches live for 2 months", "Branches live at most three days", "3 days"),
        ("run the inference once a day", "Inference runs hourly", '"hourly"'),
        ("import results every night", "Results are imported every 15 minutes", '"every 15'),
        (
            "let nurses see patients of all wards",
            "A nurse only sees patients of her ward",
            '"only"',
        ),
        ("never run migrations by hand", "Run migrations by hand", '"never"'),
        ("lower it to one approval for billing", "Billing needs two approvals", "2 approvals"),
        ("keep raw events forever", "Raw events are kept for 90 days", "90 days"),
        ("require Python 3.11", "The SDK supports Python 3.9 and later", "3.9"),
        ("make the time step depend on the load", "The time step is fixed", '"fixed"'),
        ("write the docs in Markdown", "Docs are written in AsciiDoc", '"in asciidoc"'),
    ],
)
def test_another_number_an_opposite_or_another_thing_is_reported(
    plan: str, text: str, tells: str
) -> None:
    assert tells in why(plan, text)


@table(
    ("plan", "text"),
    [
        ("log each retry of the export", "The export is retried 3 times"),
        ("pin node to 20.11", "Node 20 is the minimum"),
        ("mend the upload in line 88", "Uploads are capped at 64 MB"),
        ("close issue 12 about uploads", "Uploads are capped at 64 MB"),
        ("wait 5 seconds for the upload", "Uploads are capped at 64 MB"),
        ("disable gzip", "Enable the cache"),
        ("keep sessions for 60 minutes", "Sessions end after 1 hour"),
        ("alert when the hourly inference is late", "Inference runs every hour"),
        ("rotate the key with which updates are signed", "Unsigned updates or signed ones"),
        ("port the cart to the composition API", "The frontend uses the composition API"),
        ("change the log colour to blue", "Logs are JSON"),
        ("paint the shed", "Retries are capped at 3"),
        ("do not forget the tests of the queue in the docs", "The queue runs on Redis"),
        ("", "Retries are capped at 3"),
        ("warn two minutes before the session ends", "Sessions end after 30 minutes"),
        ("keep raw events forever", "Raw events are kept in 3 tables"),
        ("keep raw events forever", "Raw events are kept forever"),
    ],
)
def test_what_agrees_or_is_about_something_else_is_not(plan: str, text: str) -> None:
    assert why(plan, text) == ""


def test_two_texts_of_one_number_say_the_same_of_it() -> None:
    assert settled.find_implicit_conflict("Logs are kept 30 days", "Keep the logs for 90 days")
    assert not settled.find_implicit_conflict("Logs are kept 30 days", "Keep the logs for 30 days")
    assert not settled.find_implicit_conflict("Logs are kept 30 days", "Sessions end after 90 days")


@given(TEXTS, TEXTS)
def test_no_text_settles_itself_otherwise_and_the_terms_stand_in_both(plan: str, said: str) -> None:
    assert settled.find_implicit_conflict(plan, plan) is None
    found = settled.find_implicit_conflict(plan, said)
    if found is not None:
        there = words_by_stem(plan).keys() & words_by_stem(said).keys()
        assert {strip_inflection(word) for word in found.terms} <= there


def test_pages_are_read_in_time() -> None:
    settled.find_implicit_conflict("change the cache to 8 MB " * 2000, "the cache has 9 MB " * 2000)
