"""Files, lines and names that traces of several languages tell."""

from __future__ import annotations

import time

from gitmem.timeline import trace_places

PYTHON = """Traceback (most recent call last):
  File "/home/ada/shop/src/app.py", line 12, in main
    run()
  File "/usr/lib/python3.11/json/decoder.py", line 355, in raw_decode
    raise JSONDecodeError
  File "/home/ada/shop/src/cart.py", line 40, in <lambda>
json.decoder.JSONDecodeError: Expecting value"""


def read(text: str) -> list[tuple[str, int, str]]:
    return [(item.file, item.line, item.name) for item in trace_places.read_stack_frames(text)]


def test_python_tells_the_innermost_last_and_it_comes_first() -> None:
    assert read(PYTHON) == [
        ("/home/ada/shop/src/cart.py", 40, "lambda"),
        ("/usr/lib/python3.11/json/decoder.py", 355, "raw_decode"),
        ("/home/ada/shop/src/app.py", 12, "main"),
    ]
    assert [item.foreign for item in trace_places.read_stack_frames(PYTHON)] == [False, True, False]


def test_other_languages_tell_the_innermost_first() -> None:
    for text, places in (
        ("    at send (/app/src/client.ts:12:34)", [("/app/src/client.ts", 12, "")]),
        ("\t/go/shop/cart.go:88 +0x1d", [("/go/shop/cart.go", 88, "")]),
        ("thread 'main' panicked at src/main.rs:4:5:", [("src/main.rs", 4, "")]),
        ("#0 /var/www/src/Cart.php(12): Cart->add()", [("/var/www/src/Cart.php", 12, "")]),
        ("\tat com.acme.shop.Cart.add(Cart.java:17)", [("com/acme/shop/Cart.java", 17, "")]),
        ("app/cart.rb:7:in `add'", [("app/cart.rb", 7, "")]),
        ("C:\\shop\\cart.cs:7", [("\\shop\\cart.cs".replace("\\", "/"), 7, "")]),
        ("FAILED tests/test_cart.py::Test::test_add - x", [("tests/test_cart.py", 0, "test_add")]),
        ("src/cart.c: In function 'add'", [("src/cart.c", 0, "")]),
        ("see src/web/view.tsx and e.g. nothing", [("src/web/view.tsx", 0, "")]),
        ("version 1.2.3 at 10:30", []),
    ):
        assert read(text) == places, text


def test_names_look_like_code() -> None:
    text = "loadConfig fails in `Cart.add`, then send() and HttpError of retry_all; it is empty"
    assert trace_places.find_code_like_words(text) == [
        *("loadConfig", "Cart", "add", "send", "HttpError", "retry_all"),
    ]
    assert trace_places.find_code_like_words("The cart is empty") == []


def test_long_and_hostile_texts_are_read_in_bounded_time() -> None:
    begin = time.process_time()
    for text in ("a/" * 200_000, "x." * 200_000, "a" * 400_000, "File " * 90_000, "_" * 300_000):
        assert len(trace_places.read_stack_frames(text)) <= trace_places.MAX_FRAMES
        assert len(trace_places.find_code_like_words(text)) <= trace_places.MAX_FRAMES
    assert time.process_time() - begin < 5
    middle = "x\n" * 50_000 + "src/lost.py:1\n" + "x\n" * 50_000
    assert read("src/first.py:1\n" + middle + "src/last.py:2") == [
        ("src/first.py", 1, ""),
        ("src/last.py", 2, ""),
    ]


def test_frames_of_libraries_are_taken_out_with_their_source_and_the_rest_stays() -> None:
    text = (
        "Traceback (most recent call last):\n"
        '  File "/v/lib/python3.11/site-packages/pluggy/_callers.py", line 167, in _multicall\n'
        "    teardown.throw(exception)\n"
        "    ^^^^^^^^^^^^^^^^^^^^^^^^^\n"
        '  File "/srv/src/cart.py", line 2, in total_price\n'
        "    return sum(prices)\n"
        "    at run (/srv/node_modules/tap/lib/run.js:3:1)\n"
        "    at total (/srv/lib/cart.js:3:1)\n"
        "ZeroDivisionError: division by zero"
    )
    assert trace_places.remove_library_frames(text) == (
        "Traceback (most recent call last):\n"
        '  File "/srv/src/cart.py", line 2, in total_price\n'
        "    return sum(prices)\n"
        "    at total (/srv/lib/cart.js:3:1)\n"
        "ZeroDivisionError: division by zero"
    )
    assert trace_places.remove_library_frames("cart is\n    wrong") == "cart is\n    wrong"
