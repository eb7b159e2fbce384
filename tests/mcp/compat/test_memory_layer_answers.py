"""The past in the words of MemoryLayer."""

from __future__ import annotations

from gitmem.mcp.compat import memory_layer_answers


def entry(at: str, text: str, type: str = "commit") -> dict[str, str]:
    return {"at": f"{at}T10:00:00Z", "type": type, "ref": f"ref of {text}", "text": text}


def test_a_changelog_groups_commits_by_day_or_week_and_by_what_they_are() -> None:
    entries = [
        entry("2026-11-16", "Add the cart"),  # a Monday
        entry("2026-11-18", "fix: the cart loses items"),
        entry("2026-11-22", "ui(cart): refactor the list"),
        entry("2026-11-22", "Keep SQLite", "decision"),
        entry("2026-11-22", "A note", "memory"),
        entry("2026-11-23", "Prefix of nothing"),
    ]
    weeks = memory_layer_answers.entries_by_period(entries, "week", True)
    assert [week["date"] for week in weeks] == ["2026-11-23", "2026-11-16"]
    assert weeks[1]["summary"] == "1 features, 1 fixes, 1 refactors"
    assert weeks[1]["decisions"] == ["Keep SQLite"]
    assert weeks[1]["metrics"] == {"commits": 3}
    assert weeks[0]["features"] == [
        {"description": "Prefix of nothing", "commit": "ref of Prefix of nothing"}
    ]
    days = memory_layer_answers.entries_by_period(entries, "day", False)
    assert [day["date"][-2:] for day in days] == ["23", "22", "18", "16"]
    assert days[1]["decisions"] == []
    assert memory_layer_answers.entries_by_period(None, "day", True) == []
    for subject, sort in (
        ("Fix it", "fixes"), ("bugfix: x", "fixes"), ("core: fixes x", "fixes"),
        ("refactor!: x", "refactors"), ("Rename x", "refactors"), ("Simplify x", "refactors"),
        ("Add a prefix", "features"), ("feat(api): move on", "refactors"), ("", "features"),
    ):  # fmt: skip
        (item,) = memory_layer_answers.entries_by_period(
            [entry("2026-11-16", subject)], "day", False
        )
        assert len(item[sort]) == 1, subject


def test_the_first_suspect_is_the_cause_and_the_others_are_related() -> None:
    suspects = [
        {
            "commit": f"{number}" * 40, "author": "Ada", "at": "2026-01-01", "subject": "s",
            "score": 0.514 - number / 10, "paths": paths, "why": ["a", "b"],
        }
        for number, paths in enumerate((["x.py", "y.py"], []))
    ]  # fmt: skip
    cause = memory_layer_answers.likely_cause_commit(suspects)
    assert cause is not None
    assert (cause["file"], cause["commit_hash"]) == ("x.py", "0000000")
    assert [
        change["file"] for change in memory_layer_answers.other_suspected_commits(suspects)
    ] == [""]
    assert memory_layer_answers.suspicion_reasons(suspects) == "a; b"
    assert (
        memory_layer_answers.describe_likely_cause(suspects)
        == "Found likely cause in x.py (51% confidence)"
    )
    assert (
        memory_layer_answers.describe_likely_cause(suspects[1:])
        == "Found likely cause in 1111111 (41% confidence)"
    )
    for nothing in (None, []):
        assert memory_layer_answers.likely_cause_commit(nothing) is None
        assert memory_layer_answers.cause_confidence(nothing) == 0
        assert memory_layer_answers.other_suspected_commits(nothing) == []
        assert memory_layer_answers.suspicion_reasons(nothing) == ""
        assert (
            memory_layer_answers.describe_likely_cause(nothing)
            == "Could not identify specific cause"
        )
        assert memory_layer_answers.newest_commits_of_folders(nothing) == []


def test_a_commit_of_two_areas_is_one_change_and_twenty_are_reported() -> None:
    def commit(number: int) -> dict[str, str]:
        return {
            "commit": f"{number:040}", "author": "Ada" if number % 2 else "Grace",
            "at": f"2026-01-{number + 1:02}", "subject": str(number),
        }  # fmt: skip

    areas = [{"area": name, "newest": [commit(n) for n in range(25)]} for name in ("a", "b")]
    output = memory_layer_answers.newest_commits_of_folders(areas)
    assert [item["commit_message"] for item in output] == [str(n) for n in range(24, 4, -1)]
    assert {item["file"] for item in output} == {"a"}
    assert {
        item["file"] for item in memory_layer_answers.newest_commits_of_folders(areas, "a/x.py")
    } == {"a/x.py"}


def test_a_decision_beside_one_that_is_alike_is_recorded_too() -> None:
    """ML-7: merging the two waits in the inbox."""
    assert memory_layer_answers.describe_decision_recording(
        "suggested"
    ) == memory_layer_answers.describe_decision_recording("added")
    assert memory_layer_answers.describe_decision_recording("unchanged") == "Decision unchanged"
