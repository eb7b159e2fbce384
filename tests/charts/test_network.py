"""Networks and bars: arrows only between what is drawn."""

from __future__ import annotations

from typing import Any

from gitmem.charts.network import NetworkEdge, NetworkNode, network_chart, stacked_bar_chart


def test_nodes_stand_in_columns_and_arrows_join_them() -> None:
    nodes = [
        NetworkNode("old", "Sessions\nare signed", 0, 1),
        NetworkNode("new", "Encrypted", 3, 0, "/m/1"),
    ]
    picture: Any = network_chart(
        nodes, [NetworkEdge("old", "new", "replaced by")], ["accepted", "superseded"]
    )
    assert picture["nodes"] == [
        {"text": "Sessions are signed", "group": 1, "x": 0.25, "y": 0.5},
        {"text": "Encrypted", "group": 0, "x": 0.75, "y": 0.5, "href": "/m/1"},
    ]
    assert picture["edges"] == [[0, 1, "replaced by"]]
    assert picture["more"] == 0


def test_what_has_no_room_is_counted_and_has_no_arrow() -> None:
    nodes = [NetworkNode(str(number), "x", number % 2) for number in range(10)]
    picture: Any = network_chart(
        nodes, [NetworkEdge("0", "1"), NetworkEdge("0", "9")], ["x"], max_nodes_per_column=2
    )
    assert (len(picture["nodes"]), picture["more"]) == (4, 6)
    assert picture["edges"] == [[0, 2, ""]]


def test_bars_have_a_number_for_each_label() -> None:
    assert stacked_bar_chart(["this\nweek"], [("fades", [3])]) == {
        "kind": "bars",
        "labels": ["this week"],
        "palette": "groups",
        "series": [{"name": "fades", "values": [3]}],
    }
