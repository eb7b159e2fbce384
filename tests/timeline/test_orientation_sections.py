"""The sections of an orientation from facts alone: any facts, any budget."""

from __future__ import annotations

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.assembly.token_budget import pack_sections
from gitmem.git.log_output import Commit
from gitmem.model.memory import Memory
from gitmem.model.session import Event, Session
from gitmem.text.tokens import estimate_tokens
from gitmem.timeline.orientation_sections import (
    OrientationFacts,
    count_commits_by_folder,
    write_orientation_sections,
)
from gitmem.timeline.visits import WorktreeVisit
from tests.support.amounts import examples

TEXT = st.text(
    alphabet=st.one_of(
        st.characters(codec="utf-8"), st.sampled_from("\n\r\t\x1b\x00\u202e\u2066\u200b\u2028 -#`<")
    ),
    max_size=200,
)
TIMES = st.integers(0, 4_000_000_000)


def memory(kind: str, title: str, content: str) -> Memory:
    return Memory(
        "01M7YJ3VSGX0000000000000A0", "project", "p", kind, title, content, (), (), 3, 0.5, 0.8,
        False, "user_explicit", "", "", "", "", "", "", "{}", None, None, None, "", 0, 0, 1,
    )  # fmt: skip


MEMORIES = st.lists(
    st.builds(memory, st.sampled_from(["note", "decision"]), TEXT, TEXT), max_size=6
)
COMMITS = st.lists(
    st.builds(
        Commit,
        sha=st.just("ada44a181f69d14f5d9b743b74568198162ddf36"),
        parents=st.sampled_from([(), ("a",), ("a", "b")]),
        author=TEXT,
        author_time=TIMES,
        committed_time=TIMES,
        subject=TEXT,
        body=st.just(""),
        paths=st.lists(TEXT.filter(bool), max_size=4).map(tuple),
    ),
    max_size=12,
)
SESSIONS = st.none() | st.builds(
    Session,
    id=st.just("01"), agent=TEXT, client_id=st.just(""), worktree=st.just("/w"), branch=TEXT,
    head_start=st.just(""), head_end=st.just(""), goal=TEXT, summary=TEXT, active_file=TEXT,
    started_at=TIMES, last_at=TIMES, ended_at=st.none() | TIMES,
    files=st.lists(TEXT, max_size=4).map(tuple),
)  # fmt: skip
VISITS = st.builds(
    WorktreeVisit,
    first=st.booleans(),
    just_here=st.booleans(),
    gap_ms=st.none() | TIMES,
    since=st.none() | TIMES,
    since_head=st.just(""),
    since_branch=TEXT,
    elsewhere=TEXT,
)
NOTES = st.lists(
    st.builds(Event, *[st.just("e"), TIMES, st.just("note")], *[st.just("")] * 5, TEXT), max_size=3
)
FACTS = st.builds(
    OrientationFacts,
    name=TEXT, key=TEXT, branch=st.none() | TEXT, commit=st.none() | st.just("ada44a181f"),
    unborn=st.booleans(), operation=st.none() | st.just("rebase"), shallow=st.booleans(),
    tree=st.none(), visit=VISITS, clock=st.just("Sat 2026-11-21 08:03 UTC (+00:00)"),
    local=st.just(lambda ms: "2026-11-21 08:03"), commits=COMMITS, commits_capped=st.booleans(),
    pinned=MEMORIES, conventions=MEMORIES, added=MEMORIES, added_total=st.integers(0, 99),
    changed=MEMORIES, open_decisions=MEMORIES, decisions=MEMORIES, last_session=SESSIONS,
    notes=NOTES, handles=st.just(lambda id: id[:8]), has_store=st.booleans(),
)  # fmt: skip


@given(facts=FACTS, budget=st.integers(200, 5000), markdown=st.booleans())
def test_any_facts_fit_any_budget_and_keep_to_their_lines(
    facts: OrientationFacts, budget: int, markdown: bool
) -> None:
    made = write_orientation_sections(facts)
    packed = pack_sections(made, budget, markdown=markdown)
    assert packed.tokens == estimate_tokens(packed.text) <= budget
    for section in made:
        assert all("\n" not in line for line in section.lines), section.name
    for letter in packed.text:
        assert letter == "\n" or unicodedata.category(letter) not in ("Cc", "Cs"), repr(letter)
        assert letter not in "\u202a\u202b\u202d\u202e\u2066\u2067\u2028\u2029\u200b"


@settings(max_examples=examples(24))
@given(facts=FACTS)
def test_the_clock_stands_in_the_second_line_alone(facts: OrientationFacts) -> None:
    lines = [line for section in write_orientation_sections(facts) for line in section.lines]
    assert lines[1].startswith(f"Now {facts.clock}. ")
    assert sum(facts.clock in line for line in lines) == 1


def commit(*paths: str) -> Commit:
    return Commit("a", (), "Ada", 0, 0, "s", "", paths)


def test_areas_are_folders_of_two_levels_counted_once_for_each_commit() -> None:
    found = count_commits_by_folder(
        [
            commit("src/cart/a.py", "src/cart/deep/b.py", "README.md"),
            commit("src/cart/c.py", "docs/x.md"),
        ]
    )
    assert found == [("src/cart/", 2), ("README.md", 1), ("docs/", 1)]
