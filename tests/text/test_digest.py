"""The digests are those of the standard library, and cost no OpenSSL."""

from __future__ import annotations

import hashlib
import subprocess
import sys

from gitmem.text import digest

_WITHOUT = """
import sys
for name in ("_sha2", "_sha256"):
    sys.modules[name] = None
from gitmem.text import digest
import hashlib
assert digest.sha256 is hashlib.sha256
"""


def test_a_digest_is_that_of_hashlib() -> None:
    for data in (b"", b"redis", bytes(range(256)) * 300):
        assert digest.sha256(data).hexdigest() == hashlib.sha256(data).hexdigest()
        for options in ({}, {"digest_size": 16}, {"digest_size": 8, "key": b"key"}):
            ours, theirs = digest.blake2b(data, **options), hashlib.blake2b(data, **options)
            assert ours.digest() == theirs.digest()


def test_a_python_without_its_own_digests_takes_those_of_openssl() -> None:
    done = subprocess.run([sys.executable, "-c", _WITHOUT], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
