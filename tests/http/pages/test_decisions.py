"""The graph of decisions: old ones left of new ones, each once, in its own place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.http.pages.decisions import decision_graph


def _decision(number: int, by: int | None) -> dict[str, object]:
    replaced = "" if by is None else str(by)
    word = "superseded" if replaced else "accepted"
    return {
        "id": str(number), "superseded_by": replaced, "title": "", "content": "x", "word": word
    }  # fmt: skip


@given(st.lists(st.none() | st.integers(0, 9), max_size=10))
def test_each_decision_that_replaced_or_was_replaced_has_a_place(by: list[int | None]) -> None:
    """Whatever replaced what, circles and decisions that are gone too."""
    made = decision_graph([_decision(n, to) for n, to in enumerate(by)])
    places = [(node["x"], node["y"]) for node in made["nodes"]]
    assert len(set(places)) == len(places)
    assert len({node["id"] for node in made["nodes"]}) == len(made["nodes"])
    assert all(arrow["x1"] < arrow["x2"] for arrow in made["arrows"])
    assert all(x + made["box"][0] <= made["width"] for x, _ in places)
    assert all(y + made["box"][1] <= made["height"] for _, y in places)


def test_a_chain_runs_from_left_to_right() -> None:
    made = decision_graph(
        [_decision(0, 1), _decision(1, 2), _decision(2, None), _decision(3, None)]
    )
    assert [node["id"] for node in sorted(made["nodes"], key=lambda n: n["x"])] == ["0", "1", "2"]
    assert len(made["arrows"]) == 2
