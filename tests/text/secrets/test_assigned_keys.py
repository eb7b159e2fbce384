"""Keys told by what they are assigned to, and what is assigned as well and stays."""

from __future__ import annotations

import base64
import random

from gitmem.text.redact import Redaction, redact
from tests.text.secret_samples import ALNUM, HEX, draw
from tests.text.secret_table import LOWER, a_uuid

RNG = random.Random("assigned")


def mixed(size: int = 32) -> str:
    return draw(RNG, ALNUM, size - 4) + "7fA2"


def low(size: int = 32) -> str:
    return "z9" + draw(RNG, LOWER, size - 8) + "q7h2x9"


ULID = "01HF7" + draw(RNG, "0123456789ABCDEFGHJKMNPQRSTVWXYZ", 18) + "7QB"


KEYS = (
    ("owm = '@@'", low()),
    ("apiTemplate := \"@@\"", mixed(39)),
    ("netcore_api=@@", low()),
    ("beeboleAuth := @@", mixed(40)),
    ("char auth[] = \"@@\";", mixed()),
    ("\"thing\": \"@@\",", low(24)),
    ("box '@@'", mixed(24)),
    ("connect(host, '@@')", mixed(40)),
)  # fmt: skip


def test_a_key_that_only_a_name_leads_to_goes() -> None:
    for form, secret in KEYS:
        redaction = redact(form.replace("@@", secret))
        assert redaction.text == form.replace("@@", "[redacted:api-key]"), form


UNCHANGED = (
    ("document_id = '@@'", mixed(44)),
    ("\"node_id\": \"@@\"", mixed()),
    ("boundary=@@", mixed(40)),
    ("cnonce=\"@@\"", mixed(44)),
    ("expected = '@@'", mixed()),
    ("projectId: '@@'", mixed()),
    ("sha = '@@'", draw(RNG, HEX, 40)),
    ("digest = '@@'", draw(RNG, HEX, 64).upper()),
    ("request = '@@'", a_uuid(RNG)),
    ("mask = '@@'", "0x" + draw(RNG, HEX, 32)),
    ("encoded = '@@'", base64.b64encode(b"only a sentence that somebody can read").decode()),
    ("return '@@'", mixed()),
    ("see ?t=@@", mixed(24)),
    ("thing = @@[keyof", "Level1Level2Level3DeepResponses"),
    ("release @@", mixed(24)),
    ("\"superseded_by\": \"@@\"", ULID),
    ("memory=@@", ULID),
    ("see `@@`", ULID.lower()),
    ("line '@@'", ULID),
    ("ticket = '@@'", draw(RNG, "ABCDEFGHJKLMNPQRSTUVWXYZ23456789", 30) + "A2"),
)  # fmt: skip


def test_what_is_no_key_by_its_name_or_its_looks_stays() -> None:
    for form, value in UNCHANGED:
        text = form.replace("@@", value)
        assert redact(text) == Redaction(text), text
