"""What a turn of a conversation says of itself (CF-13): who speaks, what it asks, of which time."""

from __future__ import annotations

import pytest

from gitmem.text import spoken_turn


def test_a_name_before_a_colon_speaks() -> None:
    for text, speaker in (
        ("Caroline: I went to the group yesterday.", "caroline"),
        ("user: Which port?\nThe one of redis.", "user"),
        ("Jean-Luc O'Neill: Good.", "jean-luc o'neill"),
        ("Åsa: Ja.\nÅsa: Jo.", "åsa"),
        ("Ada: Hello\nBob: Hello", ""),
        ("Two\nAda: Hello", ""),
        ("https://example.org", ""),
        ("10:30 is early", ""),
        (f"{'long ' * 9}: no name", ""),
        ("", ""),
    ):
        assert spoken_turn.speaker_of_turn(text) == speaker, text


def test_a_question_names_a_speaker_by_name_and_oneself_by_i() -> None:
    for question, speaker, named in (
        ("When did Caroline paint?", "caroline", True),
        ("When did Carolines paint?", "caroline", False),
        ("What did jean.luc say?", "jean.luc", True),
        ("What did jeanxluc say?", "jean.luc", False),
        ("Which editor do I use?", "user", True),
        ("What is my editor?", "human", True),
        ("Which editor is used?", "user", False),
        ("Which editor do I use?", "assistant", False),
    ):
        assert spoken_turn.mentions_speaker(question, speaker) is named, question


def test_a_question_for_a_time_and_a_text_that_tells_one() -> None:
    for question, asks in (
        ("When did Ada paint?", True),
        ("how long does it take", True),
        ('"What year was it?"', True),
        ("What did she say when she left?", False),
        ("Whenever it rains, what is done?", False),
    ):
        assert spoken_turn.is_question_about_time(question) is asks, question
    for text, tells in (
        ("We met last week", True),
        ("On Tuesday", True),
        ("in 2019", True),
        ("In May it rains", True),
        ("It may rain", False),
        ("Port 20190", False),
        ("nothing of it", False),
    ):
        assert spoken_turn.mentions_time(text) is tells, text


def test_the_share_of_a_text_that_asks() -> None:
    for text, share in (
        ("Ada: Which port does it use?", 1.0),
        ("It uses 6380.", 0.0),
        ("Why?No.", 4 / 7),
        ("\u54ea\u4e2a\u7aef\u53e3\uff1f6380\u3002", 5 / 10),
        ("?", 0.0),
        ("", 0.0),
    ):
        assert spoken_turn.question_fraction(text) == pytest.approx(share), text


def test_texts_are_a_talk_where_some_speak_repeatedly() -> None:
    talk = ["Ada: Which port?", "Bob: 6380.", "Ada: Good.", "Bob: You are welcome."]
    for texts, is_one in (
        (talk, True),
        (talk[:3], False),
        ([*talk, "Nobody says this."], True),
        ([*talk, "Nobody says this.", "Nor that."], False),
        (["user: Which port?", "assistant: 6380."] * 2, True),
        (["fix: the port", "docs: the port"] * 2, False),
        (["Decision: the port is 6380", "Note: it was 6379"] * 2, False),
        (["Ada: one", "Bob: two", "Eve: three", "Dan: four"], False),
        (["Ada: one", "Ada: two", "Ada: three", "Ada: four"], False),
        ([], False),
    ):
        assert spoken_turn.is_conversation(texts) is is_one, texts


def test_the_dates_that_a_question_names() -> None:
    for question, named in (
        ("What did she do in May 2023?", ({5}, 2023, 0)),
        ("What did she do on 7 may?", None),
        ("What did she do on June 7th, 2023?", ({6}, 2023, 7)),
        ("between JULY and August", ({7, 8}, 0, 0)),
        ("what changed on 2023-05-08", ({5}, 2023, 8)),
        ("what changed in 2023-05", ({5}, 2023, 0)),
        ("version 2023-13", None),
        ("In 2023?", None),
    ):
        found = spoken_turn.date_in_question(question)
        assert (found and (set(found[0]), *found[1:])) == named, question
    noon = 1_683_547_200_000  # 2023-05-08
    for dates, fits in (
        ((frozenset((5,)), 2023, 8), 2),
        ((frozenset((5, 6)), 0, 7), 1),
        ((frozenset((5,)), 2022, 8), 0),
        ((frozenset((6,)), 2023, 8), 0),
    ):
        assert spoken_turn.score_date_match(dates, noon) == fits, dates
