"""An outside fuzzer over the whole OpenAPI description, in its short form."""

from __future__ import annotations

import pytest

from tests.http import fuzz


@pytest.mark.skipif(fuzz.program() is None, reason="schemathesis is not installed")
def test_no_route_errs_or_answers_outside_its_schema() -> None:
    status, report = fuzz.fuzz(examples=1, seconds=120)
    assert status == 0, report
