"""Secrets made at run time in the formats of many providers, and harmless look-alikes.

Everything is drawn from a seeded generator and joined from pieces, so that no scanner finds a
secret in this file. Each maker returns the line it stands in and the secret inside it.
"""

from __future__ import annotations

import base64
import json
import random
import string
import uuid
import zlib
from collections.abc import Callable

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
WORD = ALNUM + "_-"
B64 = ALNUM + "+/"
BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
UPPER = string.ascii_uppercase + string.digits

Maker = Callable[[random.Random], tuple[str, str]]


def draw(rng: random.Random, alphabet: str, size: int) -> str:
    return "".join(rng.choices(alphabet, k=size))


def b64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


SURROUNDINGS = (
    "{}",
    "use {} here",
    "KEY = '{}'",
    "fix: leaked {}, rotate",
    '{{"x": "{}"}}',
    "- {}\n",
)


def bare(*parts: str | tuple[str, int]) -> Maker:
    """A maker of tokens from literal pieces and (alphabet, length) pairs, in some line."""

    def make(rng: random.Random) -> tuple[str, str]:
        secret = "".join(p if isinstance(p, str) else draw(rng, *p) for p in parts)
        return rng.choice(SURROUNDINGS).format(secret), secret

    return make


def inside(template: str, alphabet: str, size: int) -> Maker:
    """A maker of a line with a drawn secret in it."""

    def make(rng: random.Random) -> tuple[str, str]:
        secret = draw(rng, alphabet, size)
        return template.replace("@@", secret), secret

    return make


def github_with_checksum(rng: random.Random) -> tuple[str, str]:
    body = draw(rng, ALNUM, 30)
    left, digits = zlib.crc32(body.encode()), ""
    while left:
        left, digit = divmod(left, 62)
        digits = BASE62[digit] + digits
    secret = "gh" + rng.choice("pousr") + "_" + body + digits.rjust(6, "0")
    return f"token {secret}", secret


def jwt(rng: random.Random) -> tuple[str, str]:
    header = b64url(json.dumps({"alg": "HS256", "typ": "JWT"}).encode())
    body = b64url(json.dumps({"sub": draw(rng, ALNUM, 8), "iat": rng.randrange(10**9)}).encode())
    secret = ".".join((header, body, draw(rng, WORD, 43)))
    return f"cookie {secret};", secret


def basic(rng: random.Random) -> tuple[str, str]:
    secret = base64.b64encode(f"bob:{draw(rng, ALNUM, 12)}".encode()).decode()
    return f"Authorization: Basic {secret}", secret


def discord(rng: random.Random) -> tuple[str, str]:
    number = b64url(str(rng.randrange(10**17, 10**18)).encode())
    secret = f"{number}.{draw(rng, WORD, 6)}.{draw(rng, ALNUM, 38)}"
    return f"bot.run('{secret}')", secret


def password(rng: random.Random) -> str:
    letters = (
        draw(rng, string.ascii_letters, 6) + draw(rng, string.digits, 3) + rng.choice("!#$%^*+?~")
    )
    return "".join(rng.sample(letters, len(letters))).replace("$", "+").replace("%", "^")


def labelled_password(rng: random.Random) -> tuple[str, str]:
    secret = "q" + password(rng) + "7k"
    template = rng.choice(
        [
            "password = '@@'",
            "DB_PASSWORD=@@",
            "password: @@",
            '"passwd": "@@",',
            "--password @@",
            "the password is @@",
            "pwd := `@@`",
            "<password>@@</password>",
            "MYSQL_PASS=@@",
        ]
    )
    return template.replace("@@", secret), secret


def key_block(label: str, *, cut: bool = False, joint: str = "\n") -> Maker:
    def make(rng: random.Random) -> tuple[str, str]:
        lines = [draw(rng, B64, 64) for _ in range(12)] + [draw(rng, B64, 22) + "=="]
        end = [] if cut else [f"-----END {label}-----"]
        return joint.join([f"-----BEGIN {label}-----", *lines, *end]), lines[5]

    return make


PRIVATE = "PRIVATE" + " KEY"
LABELLED = {
    "aws-secret-key": inside("aws_secret_access_key = @@", B64, 40),
    "datadog": inside("DD_API_KEY=@@", HEX, 32),
    "client-secret": inside('"client_secret": "@@",', WORD, 30),
    "api-key-yaml": inside("  api_key: '@@'", ALNUM, 24),
    "env-token": inside("export FOO_TOKEN=@@", ALNUM, 32),
    "flag-token": inside("run --token @@ --verbose", ALNUM, 24),
    "npmrc": inside("//registry.example.org/:_authToken=@@", ALNUM, 36),
    "twilio-auth": inside("TWILIO_AUTH_TOKEN: @@", HEX, 32),
    "password": labelled_password,
    "heroku": lambda rng: (lambda u: (f"HEROKU_API_KEY={u}", u))(
        str(uuid.UUID(int=rng.getrandbits(128)))
    ),
}
FORMATS: dict[str, Maker] = {
    "github-checksum": github_with_checksum,
    "github-classic": bare("gh" + "p_", (ALNUM, 36)),
    "github-oauth": bare("gh" + "o_", (ALNUM, 36)),
    "github-fine": bare("github" + "_pat_", (ALNUM, 22), "_", (ALNUM, 59)),
    "gitlab": bare("gl" + "pat-", (WORD, 20)),
    "gitlab-routable": bare("gl" + "pat-", (WORD, 27), ".01.", (string.digits + "abcxyz", 9)),
    "aws-id": bare("AK" + "IA", (BASE32, 16)),
    "google-api": bare("AI" + "za", (ALNUM, 35)),
    "google-oauth": bare("GOC" + "SPX-", (ALNUM, 28)),
    "gcp-service-account": key_block(PRIVATE, joint="\\n"),
    "slack-bot": bare(
        "xo" + "xb-", (string.digits, 12), "-", (string.digits, 12), "-", (ALNUM, 24)
    ),
    "slack-app": bare("xa" + "pp-1-", (UPPER, 11), "-", (string.digits, 13), "-", (HEX, 64)),
    "slack-hook": bare(
        "hooks.sl" + "ack.com/services/", "T", (UPPER, 8), "/B", (UPPER, 8), "/", (ALNUM, 24)
    ),
    "stripe": bare("sk_" + "live_", (ALNUM, 24)),
    "stripe-restricted": bare("rk_" + "test_", (ALNUM, 99)),
    "openai-old": bare("sk" + "-", (ALNUM, 20), "T3Blbk" + "FJ", (ALNUM, 20)),
    "openai-project": bare("sk" + "-proj-", (WORD, 74), "T3Blbk" + "FJ", (WORD, 74)),
    "openai-service": bare("sk" + "-svcacct-", (ALNUM, 60)),
    "anthropic": bare("sk" + "-ant-api03-", (WORD, 93), "AA"),
    "huggingface": bare("h" + "f_", (string.ascii_letters, 34)),
    "npm": bare("np" + "m_", (ALNUM, 36)),
    "pypi": bare("py" + "pi-AgEIcHlwaS5vcmc", (WORD, 120)),
    "docker": bare("dc" + "kr_pat_", (ALNUM, 27)),
    "azure-storage": inside("AccountName=a;AccountKey=@@==;Suffix=x", B64, 86),
    "azure-sas": inside("https://a.blob.core.windows.net/c?sv=2024&sig=@@%3D", ALNUM, 43),
    "azure-ad": bare((ALNUM, 3), "8" + "Q~", (ALNUM, 34)),
    "twilio": bare("S" + "K", (HEX, 32)),
    "sendgrid": bare("S" + "G.", (ALNUM, 22), ".", (ALNUM, 43)),
    "mailgun": bare("ke" + "y-", (HEX, 32)),
    "telegram": bare(("123456789", 10), ":A" + "A", (ALNUM, 33)),
    "discord": discord,
    "discord-hook": bare("discord.com/api/web" + "hooks/", (string.digits, 18), "/", (ALNUM, 68)),
    "digitalocean": bare("do" + "p_v1_", (HEX, 64)),
    "heroku-new": bare("HR" + "KU-AA", (ALNUM, 58)),
    "shopify": bare("shp" + "at_", (HEX, 32)),
    "square": bare("sq0" + "atp-", (ALNUM, 22)),
    "linear": bare("lin" + "_api_", (ALNUM, 40)),
    "notion": bare("nt" + "n_", (string.digits, 11), (ALNUM, 35)),
    "vault": bare("hv" + "s.", (WORD, 95)),
    "terraform": bare((ALNUM, 14), ".atlas" + "v1.", (ALNUM, 67)),
    "databricks": bare("da" + "pi", (HEX, 32)),
    "age": bare("AGE-SECRET" + "-KEY-1", ("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)),
    "1password": bare("op" + "s_eyJ", (ALNUM, 300)),
    "postman": bare("PM" + "AK-", (HEX, 24), "-", (HEX, 34)),
    "grafana": bare("gl" + "sa_", (ALNUM, 32), "_", (HEX, 8)),
    "doppler": bare("dp" + ".pt.", (ALNUM, 43)),
    "tailscale": bare("ts" + "key-auth-", (ALNUM, 12), "-", (ALNUM, 32)),
    "groq": bare("gs" + "k_", (ALNUM, 52)),
    "jwt": jwt,
    "basic": basic,
    "bearer": inside("curl -H 'Authorization: Bearer @@'", ALNUM, 32),
    "url-password": inside("postgres://app:@@@db.internal:5432/x", ALNUM, 14),
    "url-token": inside("git clone https://@@@git.internal/a/b.git", ALNUM, 40),
    "pem": key_block("RSA " + PRIVATE),
    "openssh-cut": key_block("OPENSSH " + PRIVATE, cut=True),
    "pgp": key_block("PGP " + PRIVATE + " BLOCK"),
    **LABELLED,
}

PROSE = (
    "Fix password reset: the token is now checked before the password is hashed",
    "The password is required, the secret is optional and the token is validated later",
    "docs: explain how api_key and client_secret are read from the environment",
    "refactor(auth): rename access_token to session_token, drop secret_key default",
    "password: str = Field(..., min_length=12)",
    "token = os.environ['GITHUB_TOKEN']",
    "api_key = os.getenv(\"API_KEY\", \"\")",
    "const password = process.env.DB_PASSWORD",
    "secret: ${{ secrets.GITHUB_TOKEN }}",
    "DB_PASSWORD=${DB_PASSWORD:-changeme}",
    "password = \"changeme\"",
    "password: <your-password>",
    "--password PASSWORD  the password of the user",
    "--token TOKEN_VALUE",
    "token = self.lexer.next_token(text[3:])",
    "token_type = \"bearer2\"",
    "secret = hmac.new(key1, msg2, hashlib.sha256)",
    "return jwt.encode(payload, secret=settings.SECRET_KEY2)",
    "\"password\": \"Passwort\",",
    "password=password1, token=token2",
    "the token is v1.2.3 and the secret is base64-encoded",
    "The password is 12-character long at least",
    "postgres://user:password@localhost/db",
    "postgres://${USER}:${PASSWORD}@host/db",
    "redis://localhost:6379/0 and http://127.0.0.1:8000/@me",
    "git clone git@github.com:owner/name.git",
    "Co-authored-by: Jane Doe <jane.doe@example.org>",
    "Authorization: Bearer <token>",
    "curl -H \"Authorization: Bearer $TOKEN\"",
    "-----BEGIN " + PRIVATE + "-----",
    "if line.startswith('-----BEGIN RSA " + PRIVATE + "-----'): raise ValueError",
    "AWS_ACCESS_KEY_ID=AK" + "IAIOSFODNN7EXAMPLE",
    "gh" + "p_" + "x" * 36,
    "sk" + "-ant-api03-" + "your-key-goes-right-here",
    "secret_key: 'django-insecure-key'".replace("insecure-", ""),
    "password_hash = bcrypt.hashpw(password, salt)",
    "API_KEY=None  # set by the deployment",
    "<password>********</password>",
    "tokens: 4096, max_tokens=2048, secrets: inherit",
    "publicKeyToken=b03f5f7f11d50a3a",
)  # fmt: skip


def look_alikes(rng: random.Random) -> list[Callable[[], str]]:
    """Makers of lines that look random and are no secret."""

    def ref(size: int) -> str:
        return draw(rng, HEX, size)

    def digest(size: int) -> str:
        return base64.b64encode(rng.randbytes(size)).decode()

    return [
        lambda: f"Merge commit {ref(40)} into {ref(10)}",
        lambda: f"This reverts commit {ref(40)}.",
        lambda: f"sha256:{ref(64)}",
        lambda: f"request {uuid.UUID(int=rng.getrandbits(128))} failed",
        lambda: f"id = {draw(rng, '0123456789ABCDEFGHJKMNPQRSTVWXYZ', 26)}",
        lambda: f'"integrity": "sha512-{digest(64)}",',
        lambda: f'integrity="sha384-{digest(48)}" crossorigin',
        lambda: f"requests==2.{rng.randrange(40)}.0 --hash=sha256:{ref(64)}",
        lambda: f"github.com/a/b v1.{rng.randrange(9)}.0/go.mod h1:{digest(32)}",
        lambda: f"![logo](data:image/png;base64,{digest(150)})",
        lambda: f"index {ref(7)}..{ref(7)} 100644",
        lambda: f"token bucket {rng.randrange(10**6)} refilled, key {ref(8)}",
        lambda: f"cache_key: {ref(32)}",
        lambda: f"src/module_{rng.randrange(99)}/token_parser.py:{rng.randrange(999)}",
        lambda: f"checksum = \"{ref(64)}\"",
        lambda: f"Signed-off-by: A B <a{rng.randrange(99)}@example.org>",
        lambda: f"bump version 1.{rng.randrange(99)}.{rng.randrange(99)}-rc.1+{ref(7)}",
        lambda: f"etag W/\"{ref(32)}\" and nonce {rng.randrange(10**12)}",
        lambda: rng.choice(PROSE),
        lambda: rng.choice(PROSE),
    ]  # fmt: skip


def clean_lines(rng: random.Random, count: int) -> list[str]:
    """Harmless lines: hashes, identifiers, lock files, prose and code about secrets."""
    makers = look_alikes(rng)
    return [rng.choice(makers)() for _ in range(count)]
