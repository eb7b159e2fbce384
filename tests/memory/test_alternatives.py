"""Where a plan fills a part otherwise than a decision."""

from __future__ import annotations

from gitmem.memory import settled
from tests.support.tables import table


@table(
    ("text", "plan", "why"),
    [
        ("Docs are written in AsciiDoc", "write the docs in Markdown", "in markdown"),
        ("Invoices are sent via Post", "send the invoices through Mailgun", "through mailgun"),
        ("Reports are rendered on the backend", "render reports on the phone", "on the phone"),
        ("Flags are read at request time", "fix the flags at build time", "at build time"),
        ("Use Kafka for events", "use RabbitMQ for the events", "use rabbitmq"),
        ("Use Kafka for events", "publish the events with RabbitMQ", "with rabbitmq"),
        ("Amounts are in Swiss francs", "refactor(billing): support amounts in euro", "in euro"),
    ],
)
def test_another_filling_of_the_same_part_is_named(text: str, plan: str, why: str) -> None:
    assert settled.describe_different_choice(plan, text).endswith(f'and the plan says "{why}"')


@table(
    ("text", "plan"),
    [
        # What the text put there is in the plan.
        ("Docs are written in AsciiDoc", "write the AsciiDoc docs in short sentences"),
        ("Times are kept in UTC, shown in the browser", "show times in words in the browser"),
        # Another part.
        ("Docs are written in AsciiDoc", "write the docs with care"),
        ("Queues run on Redis", "describe the queues in the manual"),
        # About something else, or of it only by the way.
        ("Docs are written in AsciiDoc", "write the tests in Python"),
        ("Queues run in Redis", "mend the tests of the queues in the manual"),
        # The text speaks of it there itself.
        ("Docs in AsciiDoc are built in CI", "write the docs in CI"),
        # A number has units, and is compared with them.
        ("Docs are printed at 300 dpi", "open the docs at 80 columns"),
        # One thing more.
        ("Use Kafka for events", "use a cache for the events"),
        ("Use Kafka for events", "use Kafka headers for events"),
        ("", "write the docs in Markdown"),
        ("Docs are written in AsciiDoc", ""),
    ],
)
def test_what_may_well_hold_beside_it_is_not(text: str, plan: str) -> None:
    assert settled.describe_different_choice(plan, text) == ""
