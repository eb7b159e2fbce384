"""What is to be thought of before something is done (ML-26)."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from gitmem.errors import InvalidInput
from gitmem.operations.check import check
from gitmem.operations.registry import as_json_values
from tests.support.apps import MINUTE, Desk
from tests.support.repos import RepoBuilder
from tests.support.tables import table

CART = "src/cart/cart.py"
PLAN = "switch the store to sqlite3"


def without_a_model(desk: Desk) -> Desk:
    return Desk(desk.place, desk.home, **{**desk.env, "GITMEM_MODEL": "fastembed:not-installed"})


def decided(desk: Desk) -> str:
    return str(desk.run("decide", title="Use apsw, not sqlite3", why="It loads extensions").id)


def test_a_plan_against_a_decision_is_reported_with_the_words_and_the_reason(desk: Desk) -> None:
    id = decided(desk)
    found = desk.run("check", plan=PLAN)
    (result,) = found.conflicts
    assert (result.memory.id, result.terms, result.why) == (
        id,
        ("sqlite3",),
        'it says "not sqlite3"',
    )
    output = desk.text("check", plan=PLAN).split("\n")
    assert output[0].startswith("! ") and "Use apsw" in output[0]
    assert output[1:] == [
        '    "Use apsw, not sqlite3"',
        '    The plan may conflict with this decision: it says "not sqlite3".',
        "    The words: sqlite3. Recorded by a person 0 seconds ago.",
    ]


def test_the_sentence_that_conflicts_is_quoted_and_who_stated_it_when(desk: Desk) -> None:
    text = "The store is one file.\nIt opens with apsw. Never use sqlite3 for it! Ask before."
    desk.run("remember", text=text, kind="convention", by="codex")
    desk.clock.advance(3 * 24 * 60 * MINUTE)
    (result,) = desk.run("check", plan=PLAN).conflicts
    assert (result.quote, result.age) == ("Never use sqlite3 for it!", "3 days")
    assert "Recorded by codex 3 days ago." in desk.text("check", plan=PLAN)


def test_a_superseded_decision_warns_nobody(desk: Desk) -> None:
    old = decided(desk)
    desk.run("decide", title="Use sqlite3 from the standard library", supersedes=old)
    found = desk.run("check", plan=PLAN)
    assert found.conflicts == ()
    assert old not in {item.id for item in found.related}


def test_what_a_stranger_wrote_warns_nobody(desk: Desk) -> None:
    id = decided(desk)
    desk.run("trust", id=(id,), tier="foreign")
    assert desk.run("check", plan=PLAN).conflicts == ()


def test_what_was_decided_on_another_branch_warns_nobody(desk: Desk, repo: RepoBuilder) -> None:
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit("On the branch", {"x.py": "x = 1\n"})
    decided(desk)
    repo.git("checkout", "-q", "main")
    assert desk.run("check", plan=PLAN).conflicts == ()


def test_what_agrees_is_named_and_is_no_warning(desk: Desk) -> None:
    id = decided(desk)
    found = desk.run("check", plan="upgrade apsw, since sqlite3 lacks extensions")
    assert [item.id for item in found.related] == [id]
    assert found.conflicts == ()


def test_an_ordinary_note_is_no_rule(desk: Desk) -> None:
    desk.run("remember", text="Use apsw, not sqlite3")
    assert desk.run("check", plan=PLAN).conflicts == ()


def test_a_problem_warns_by_two_words(desk: Desk) -> None:
    desk.run("remember", text="Never fork workers after threads were started", kind="problem")
    assert desk.run("check", plan="fork workers after the threads have started").conflicts
    assert not desk.run("check", plan="fork the repository").conflicts


def test_where_nothing_is_to_be_reported_it_is_one_line(desk: Desk) -> None:
    decided(desk)
    text = desk.text("check", plan="paint the shed green")
    assert text == "Nothing found by words or meaning among 1 memory; that proves nothing."


def test_what_only_concerns_the_same_is_distinguished_from_what_may_conflict(desk: Desk) -> None:
    desk.run("decide", title="Uploads are capped at 64 MB")
    text = desk.text("check", plan="Log the size of each upload in MB")
    assert text.startswith("Concerns the same:\n") and "conflict" not in text
    found = desk.run("check", plan="raise the upload cap to 128 MB")
    assert [conflict.why for conflict in found.conflicts] == [
        "it says 64 MB, and the plan says 128 MB"
    ]
    assert found.related == ()


@table(
    ("text", "plan"),
    [
        ("Use Redis for the sessions", "Do not use Redis for the sessions"),
        ("We use Celery", "avoid celery in new code"),
        ("Deploy on Fridays", "No deploys on Fridays any more"),
        ("Run migrations by hand", "Migrations are never run by hand"),
        ("Enable gzip for static files", "disable gzip for static files"),
        ("The cache is shared between workers", "The cache must not be shared between workers"),
        ("bcrypt was dropped for passwords", "hash passwords with bcrypt"),
        ("Mocks of the ORM are not accepted", "mock the ORM in tests"),
        ("Customer e-mails must not show up in logs", "log the email of the customer"),
        ("The minimum Android version is 9", "Drop everything below Android 12"),
        ("Raw events are immutable", "update wrong raw events"),
    ],
)
def test_a_negation_on_either_side_is_not_passed_over(desk: Desk, text: str, plan: str) -> None:
    id = desk.run("decide", title=text).id
    assert [conflict.memory.id for conflict in desk.run("check", plan=plan).conflicts] == [id]
    desk.run("forget", id=(id,))


def test_to_look_at_something_or_to_guard_it_goes_against_nothing(desk: Desk) -> None:
    id = desk.run("decide", title="Customer e-mails must not show up in logs").id
    for plan, conflicts in (
        ("Mask the e-mails of customers in the logs", []),
        ("feat(logs): detect customer emails in logs", []),
        ("Print the e-mails of customers in the logs", [id]),
    ):
        found = desk.run("check", plan=plan)
        assert [hit.memory.id for hit in found.conflicts] == conflicts, plan
        assert id in {*conflicts, *(hit.id for hit in found.related)}, plan


def test_a_note_that_mentions_the_same_is_shown_and_binds_nobody(desk: Desk) -> None:
    id = desk.run("remember", text="The pagination of reviews begins with page 1").id
    found = desk.run("check", plan="Fix the pagination of the reviews list")
    assert [item.id for item in found.related] == [id]
    assert found.conflicts == ()


def test_what_shares_no_word_but_means_the_same_is_shown(desk: Desk) -> None:
    id = desk.run("decide", title="Passwords are hashed with argon2").id
    found = desk.run("check", plan="store the hash of each password")
    assert [item.id for item in found.related] == [id]


def test_a_plan_that_repeats_a_memory_is_shown_it_in_the_smallest_stores(desk: Desk) -> None:
    messages = ["Use Kafka", "Use Kafka on Fridays", "Keep it"]
    absent = without_a_model(desk)
    for size in (1, 2, 3):
        for texts in combinations(messages, size):
            ids = {desk.run("decide", title=text).id: text for text in texts}
            for (id, text), query in product(ids.items(), (desk, absent)):
                found = query.run("check", plan=text)
                assert id in {item.id for item in found.related}, (texts, text, query is absent)
            desk.run("forget", id=tuple(ids))


def test_words_that_each_of_few_memories_has_still_tell(desk: Desk) -> None:
    first = desk.run("decide", title="Deploy the release branch on Mondays").id
    second = desk.run("decide", title="Tag the release branch before a deploy").id
    found = without_a_model(desk).run("check", plan="Freeze the release branch, then deploy")
    assert {item.id for item in found.related} == {first, second}


def test_a_memory_without_words_concerns_nothing(desk: Desk) -> None:
    desk.run("remember", text="!?", kind="decision")
    assert desk.run("check", plan="Freeze the release branch").related == ()


def test_a_long_plan_is_read_statement_by_statement_and_says_so(desk: Desk) -> None:
    id = decided(desk)
    filler = "The shed is painted green on the outside and blue on the inside. " * 160
    found = desk.run("check", plan=f"{filler}\nThen {PLAN}.\n{filler}")
    assert [conflict.memory.id for conflict in found.conflicts] == [id]
    assert any("characters" in note for note in found.notes)


@table(
    ("plan", "noted"),
    [
        ("Wir speichern ab morgen alle Sitzungen wieder direkt lokal", True),
        ("for (let i = 0; i < n; i++) { total += price[i] * count[i]; }", False),
        ("paint the shed green in the garden", False),
    ],
)
def test_another_language_is_reported_and_code_is_no_error(
    desk: Desk, plan: str, noted: bool
) -> None:
    found = desk.run("check", plan=plan)
    assert any("English" in note for note in found.notes) == noted
    assert (found.conflicts, found.related) == ((), ())


def test_rules_that_contradict_each_other_are_both_shown_and_it_is_reported(desk: Desk) -> None:
    item = desk.run("decide", title="Use Redis for the sessions").id
    other = desk.run("decide", title="Do not use Redis for the sessions").id
    found = desk.run("check", plan="keep the sessions in redis")
    shown = {
        *(against.memory.id for against in found.conflicts),
        *(hit.id for hit in found.related),
    }
    assert shown == {item, other}
    assert "seem to contradict each other" in found.notes[-1]
    assert f"note: {found.notes[-1]}" in desk.text("check", plan="keep the sessions in redis")


def test_what_cites_a_file_or_its_folder_is_named_with_its_freshness(
    desk: Desk, repo: RepoBuilder
) -> None:
    own = desk.run("remember", text="x is a constant", path=(f"{CART}:1",)).id
    folder = desk.run("remember", text="The cart is small", path=("src/cart",)).id
    desk.run("remember", text="Read it first", path=("README.md",))
    repo.write({CART: "y = 3\n"})
    found = desk.run("check", file=(CART,))
    assert {(item.id, item.freshness) for item in found.citing} == {
        (own, "changed"),
        (folder, found.citing[0].freshness if found.citing[0].id == folder
         else found.citing[1].freshness),
    }  # fmt: skip
    assert "check first" in desk.text("check", file=(CART,))


def test_active_files_tell_for_half_an_hour_which_memories_cite_them(desk: Desk) -> None:
    """Active for an hour, at most twenty; impact for half an hour."""
    id = desk.run("remember", text="x is a constant", path=(CART,)).id
    desk.run("session start", goal="Tidy")
    desk.run("session note", file=(CART,))
    (result,) = desk.run("check").active
    assert (result.path, result.memories) == (CART, (id,))
    assert f"active now: {CART}; 1 memory cites it: {id}" in desk.text("check")
    desk.clock.advance(31 * MINUTE)
    assert [item.memories for item in desk.run("check").active] == [()]
    assert desk.text("check") == "No memory cites these files."
    desk.clock.advance(30 * MINUTE)
    assert desk.run("check").active == ()


def test_no_more_than_twenty_files_are_active(desk: Desk) -> None:
    desk.run("session start")
    desk.run("session note", file=tuple(f"f{n}.py" for n in range(30)))
    found = desk.run("check").active
    assert len(found) == 20
    assert found[0].path == "f29.py"


def test_with_nothing_stated_and_no_session_there_is_nothing_to_check(desk: Desk) -> None:
    with pytest.raises(InvalidInput):
        desk.run("check")


def test_a_path_outside_the_repository_is_refused(desk: Desk) -> None:
    with pytest.raises(InvalidInput):
        desk.run("check", file=("/etc/passwd",))


def test_the_data_says_what_was_asked(desk: Desk) -> None:
    text = as_json_values(desk.run("check", plan=PLAN, file=(CART,)))
    assert (text["plan"], text["files"]) == (PLAN, [CART])


def test_a_decision_that_goes_against_one_in_force_is_reported_as_such_and_both_are_marked(
    desk: Desk,
) -> None:
    old = desk.run("decide", title="Use jiff, not chrono")
    result = desk.run("decide", title="Use chrono again")
    assert result.notes[0].startswith(f'may contradict {old.id} (it says "not chrono")')
    assert f"--supersedes {old.id[:12]}" in result.notes[1]
    handles = {memory.id: memory.handle for memory in desk.run("list").memories}
    marks = {item.id: item.contradicts for item in desk.run("list").memories}
    for entry, other in ((old.id, result.id), (result.id, old.id)):
        assert marks[entry] == (handles[other],)
        assert f"contradicts  perhaps {handles[other]}" in desk.text("show", id=entry)
        mark = f"may contradict {handles[other]}"
        for verb, values in (
            ("list", {}),
            ("recall", {"query": "chrono"}),
            ("orient", {}),
            ("context", {"query": "chrono or jiff"}),
            ("ask", {"question": "did we decide to use chrono?"}),
        ):
            assert mark in desk.text(verb, **values), verb
    # With what a stranger says nobody has to agree.
    theirs = desk.run("decide", title="Use rayon, not crossbeam").id
    desk.run("trust", id=(theirs,), tier="foreign")
    assert desk.run("decide", title="Use crossbeam again").notes == ()
    # Said again as what replaces it, the pair is settled.
    again = desk.run("decide", title="Use chrono again", supersedes=old.id)
    assert (again.id, again.superseded) == (result.id, old.id)
    assert "may contradict" not in desk.text("list", state=("active", "superseded"))


def test_who_wants_both_kept_is_shown_the_contradiction_and_not_asked(desk: Desk) -> None:
    old = desk.run("decide", title="Use jiff, not chrono")
    for mode in ("allow", "skip", "merge"):
        result = desk.run("decide", title=f"Use chrono for {mode}", duplicates=mode)
        assert result.action == "added"
        assert result.notes[0].startswith(f"may contradict {old.id}"), mode
        assert (
            result.notes[1] == f"if it replaces that one, repeat it with --supersedes {old.id[:12]}"
        )
    assert desk.run("inbox").items == ()


def test_notes_that_share_the_word_hide_no_decision_that_is_gone_against(desk: Desk) -> None:
    old = desk.run("decide", title="Use jiff, not chrono")
    notes = "".join(f'{{"content": "Chrono is slow in case {n}"}}\n' for n in range(30))
    desk.run("remember", text=notes, piped=True)
    assert desk.run("decide", title="Use chrono for case 7").duplicate_of == old.id


def test_decisions_about_other_things_are_marked_by_nothing(desk: Desk) -> None:
    desk.run("decide", title="Use jiff, not chrono")
    for title in ("Use jiff for intervals too", "Dates are shown in local time"):
        assert desk.run("decide", title=title).notes == (), title
    assert "contradict" not in desk.text("list")


def test_conflicts_that_are_not_shown_are_counted(desk: Desk) -> None:
    for number in range(check.MOST + 2):
        desk.run("decide", title=f"Part p{number} is stored by apsw, not sqlite3",
                 why=f"Reason {number}", duplicates="allow")  # fmt: skip
    found = desk.run("check", plan=PLAN)
    assert len(found.conflicts) == check.MOST
    assert "2 more memories may conflict with it." in found.notes
