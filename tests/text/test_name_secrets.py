"""Names that git shows: whatever the rules find in one is hidden, and they are seldom loaded."""

from __future__ import annotations

import random
import subprocess
import sys

from gitmem.text import name_secrets
from gitmem.text.redact import redact
from tests.support.secrets import SECRET
from tests.text.secret_samples import FORMATS, clean_lines


def test_what_the_rules_find_is_hidden() -> None:
    rng = random.Random("names")
    for maker in FORMATS.values():
        for _ in range(10):
            line, _ = maker(rng)
            assert name_secrets.redact_name(line) == redact(line).text
    assert SECRET not in name_secrets.redact_name(f"try-{SECRET}")


def test_ordinary_names_load_no_rules() -> None:
    names = (
        *("main", "feature/login-form", "Ada Lovelace", "fix: the cart is empty (#123)"),
        *("release/2024.10", "Merge branch 'fix/cart'", "search: cut snippets at the line"),
    )
    code = (
        "import sys; from gitmem.text import name_secrets\n"
        f"print([name for name in {names!r} if name_secrets.redact_name(name) != name])\n"
        "loaded = lambda: 'gitmem.text.redact' in sys.modules\n"
        f"print(loaded(), name_secrets.redact_name('try-{SECRET}') != 'try-{SECRET}', loaded())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n") == ["[]", "False True True", ""]


def test_look_alikes_stay() -> None:
    for line in clean_lines(random.Random("clean names"), 500):
        assert name_secrets.redact_name(line) == line
