"""Click through every page, in both sizes and schemes, with axe-core.

pip install -e '.[dev,browser]'   # and a Chromium: apt-get install chromium
python -m tests.http.pages.browser
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

if __name__ == "__main__":
    sys.exit(pytest.main(["--tier", "full", "-rs", *sys.argv[1:], str(Path(__file__).parent)]))
