"""A hundred formats of secrets and ten contexts they are met in: a thousand texts from one seed.

Nothing here is a secret: everything is drawn when a test runs and joined from pieces, so that no
scanner finds one in this file. A format is a token that is known by itself, a value that needs its
label, or a phrase with surroundings of its own; each has its own table of ten contexts.
"""

from __future__ import annotations

import base64
import json
import random
import string
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.text import secret_samples
from tests.text.secret_samples import ALNUM, BASE32, HEX, UPPER, draw, password

DIGITS = string.digits
LOWER = string.ascii_lowercase + string.digits
Drawn = Callable[[random.Random], str]


@dataclass(frozen=True)
class Sample:
    """One text, and the strings none of which may be left in it."""

    format: str
    context: str
    text: str
    secrets: tuple[str, ...]


def of(*parts: str | tuple[str, int]) -> Drawn:
    """A drawn secret of literal pieces and (alphabet, length) pairs."""
    return lambda rng: "".join(p if isinstance(p, str) else draw(rng, *p) for p in parts)


def a_uuid(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128)))


def with_uuid(before: str, after: str = "") -> Drawn:
    return lambda rng: before + a_uuid(rng) + after


def a_password(rng: random.Random) -> str:
    return "q" + password(rng) + "7k"


def a_jwt(rng: random.Random) -> str:
    return secret_samples.jwt(rng)[1]


def a_discord_token(rng: random.Random) -> str:
    return secret_samples.discord(rng)[1]


TOKENS: dict[str, Drawn] = {
    "github-classic": of("gh" + "p_", (ALNUM, 36)),
    "github-app": of("gh" + "s_", (ALNUM, 36)),
    "github-fine": of("github" + "_pat_", (ALNUM, 22), "_", (ALNUM, 59)),
    "gitlab": of("gl" + "pat-", (ALNUM, 20)),
    "gitlab-runner": of("gl" + "rt-", (ALNUM, 20)),
    "aws-id": of("AK" + "IA", (BASE32, 16)),
    "bedrock": of("AB" + "SK", (ALNUM, 128)),
    "google-api": of("AI" + "za", (ALNUM, 35)),
    "google-oauth": of("ya" + "29.", (ALNUM, 60)),
    "google-client": of("GOC" + "SPX-", (ALNUM, 28)),
    "slack-bot": of("xo" + "xb-", (DIGITS, 12), "-", (DIGITS, 12), "-", (ALNUM, 24)),
    "slack-app": of("xa" + "pp-1-", (UPPER, 11), "-", (DIGITS, 13), "-", (HEX, 64)),
    "stripe": of("sk_" + "live_", (ALNUM, 24)),
    "openai": of("sk" + "-proj-", (ALNUM, 74), "T3Blbk" + "FJ", (ALNUM, 74)),
    "anthropic": of("sk" + "-ant-api03-", (ALNUM, 93), "AA"),
    "huggingface": of("h" + "f_", (string.ascii_letters, 34)),
    "npm": of("np" + "m_", (ALNUM, 36)),
    "pypi": of("py" + "pi-AgEIcHlwaS5vcmc", (ALNUM, 120)),
    "docker": of("dc" + "kr_pat_", (ALNUM, 27)),
    "twilio": of("S" + "K", (HEX, 32)),
    "sendgrid": of("S" + "G.", (ALNUM, 22), ".", (ALNUM, 43)),
    "mailgun": of("ke" + "y-", (HEX, 32)),
    "mailchimp": of((HEX, 32), "-us" + "12"),
    "telegram": of(("123456789", 10), ":A" + "A", (ALNUM, 33)),
    "discord": a_discord_token,
    "digitalocean": of("do" + "p_v1_", (HEX, 64)),
    "shopify": of("shp" + "at_", (HEX, 32)),
    "square": of("sq0" + "atp-", (ALNUM, 22)),
    "linear": of("lin" + "_api_", (ALNUM, 40)),
    "notion": of("nt" + "n_", (DIGITS, 11), (ALNUM, 35)),
    "vault": of("hv" + "s.", (ALNUM, 95)),
    "vault-old": of("s" + ".", (ALNUM, 24)),
    "terraform": of((ALNUM, 14), ".atlas" + "v1.", (ALNUM, 67)),
    "databricks": of("da" + "pi", (HEX, 32)),
    "age": of("AGE-SECRET" + "-KEY-1", ("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)),
    "postman": of("PM" + "AK-", (HEX, 24), "-", (HEX, 34)),
    "grafana": of("gl" + "sa_", (ALNUM, 32), "_", (HEX, 8)),
    "mapbox": of("sk" + ".eyJ1Ijoi", (ALNUM, 60), ".", (ALNUM, 22)),
    "fcm": of("AAAA", (ALNUM, 7), ":APA" + "91b", (ALNUM, 134)),
    "facebook": of("EA" + "AC", (ALNUM, 150)),
    "facebook-app": of((DIGITS, 16), "|", (ALNUM, 27)),
    "twitter-bearer": of("A" * 22, (ALNUM, 85)),
    "okta": of("SS" + "WS 00", (ALNUM, 40)),
    "dynatrace": of("dt0" + "c01.", (UPPER, 24), ".", (UPPER, 64)),
    "contentful": of("CF" + "PAT-", (ALNUM, 43)),
    "twitch": of("li" + "ve_", (DIGITS, 9), "_", (ALNUM, 30)),
    "hubspot": with_uuid("pat" + "-na1-"),
    "asana": of("1/", (DIGITS, 16), ":", (HEX, 32)),
    "salesforce": of("00D", (ALNUM, 12), "!AQ", (ALNUM, 94)),
    "openshift": of("sha" + "256~", (ALNUM, 43)),
    "typeform": of("tf" + "p_", (ALNUM, 59)),
    "maxmind": of((ALNUM, 6), "_", (ALNUM, 29), "_m" + "mk"),
    "plaid": with_uuid("access" + "-production-"),
    "deepl": with_uuid("", ":f" + "x"),
    "resend": of("re" + "_", (ALNUM, 8), "_", (ALNUM, 24)),
    "nvidia": of("nv" + "api-", (ALNUM, 64)),
    "bcrypt": of("$2" + "b$12$", (ALNUM, 53)),
    "apr1": of("$ap" + "r1$", (ALNUM, 8), "$", (ALNUM, 22)),
    "sha512-crypt": of("$" + "6$", (ALNUM, 12), "$", (ALNUM, 86)),
    "jwt": a_jwt,
    "unknown-provider": of("acme" + "_sk_", (ALNUM, 40)),
}

VALUES: dict[str, tuple[str, Drawn]] = {
    "password": ("DB_PASSWORD", a_password),
    "password-with-ampersand": ("password", of("Tr", (ALNUM, 6), "4dor&", (LOWER, 3))),
    "passphrase": ("signing_passphrase", a_password),
    "api-key-hex": ("API_KEY", of((HEX, 32))),
    "signing-key": ("signing_key", of((HEX, 64))),
    "client-secret": ("client_secret", of("4a", (ALNUM, 30))),
    "aws-secret": ("aws_secret_access_key", of((ALNUM, 38), "+7")),
    "access-token": ("ACCESS_TOKEN", of((ALNUM, 36), "42")),
    "uuid-api-key": ("API_KEY", a_uuid),
    "totp-seed": ("TOTP_SECRET", of((BASE32, 31), "7")),
    "credential": ("service_credential", of((ALNUM, 24), "9x3")),
    "azure-pat": ("ado_pat", of((LOWER, 50), "7q")),
}

INVISIBLE = ("\u200b", "\u00ad", "\ufeff", "\u2060")


def token(rng: random.Random) -> str:
    return "gh" + "p_" + draw(rng, ALNUM, 36)


def phrase(template: str, drawn: Drawn) -> Callable[[random.Random], tuple[str, tuple[str, ...]]]:
    def make(rng: random.Random) -> tuple[str, tuple[str, ...]]:
        secret = drawn(rng)
        return template.replace("@@", secret), (secret,)

    return make


def hidden(rng: random.Random) -> tuple[str, tuple[str, ...]]:
    secret = token(rng)
    at = rng.randrange(3, 38)
    return f"pushed with {secret[:at]}{rng.choice(INVISIBLE)}{secret[at:]}", (
        secret[:at],
        secret[at:],
    )


def in_base64(rng: random.Random) -> tuple[str, tuple[str, ...]]:
    secret = base64.b64encode(f"token: {token(rng)}\n".encode()).decode()
    return f"the manifest holds {secret}", (secret,)


def in_hex(rng: random.Random) -> tuple[str, tuple[str, ...]]:
    secret = token(rng).encode().hex()
    return f"dump {secret} end", (secret,)


def in_escapes(rng: random.Random) -> tuple[str, tuple[str, ...]]:
    secret = token(rng)
    return f"text {secret[:2]}\\u{ord(secret[2]):04x}{secret[3:]} end", (secret[3:],)


def in_percents(rng: random.Random) -> tuple[str, tuple[str, ...]]:
    secret = token(rng)
    return f"/cb?code={secret[:3]}%{ord(secret[3]):02X}{secret[4:]} 200", (secret[4:],)


def split(rng: random.Random) -> tuple[str, tuple[str, ...]]:
    secret = token(rng)
    return f"key = '{secret[:20]}' + '{secret[20:]}'", (secret[:20], secret[20:])


def continued(rng: random.Random) -> tuple[str, tuple[str, ...]]:
    secret = token(rng)
    return f"run --with {secret[:20]}\\\n  {secret[20:]} now", (secret[:20], secret[20:])


def docker_auth(rng: random.Random) -> tuple[str, tuple[str, ...]]:
    secret = base64.b64encode(f"bob:{a_password(rng)}".encode()).decode()
    return '{"auths": {"r.io": {"auth": "' + secret + '"}}}', (secret,)


PHRASES = {
    "curl-user": phrase("curl -u bob:@@ https://api.example.org", a_password),
    "sshpass": phrase("sshpass -p @@ ssh root@10.0.0.1", a_password),
    "mysql": phrase("mysql -uroot -p@@ shop", a_password),
    "sql-password": phrase("ALTER USER app WITH PASSWORD '@@';", a_password),
    "sql-identified": phrase("CREATE USER app IDENTIFIED BY '@@';", a_password),
    "docker-auth": docker_auth,
    "password-for": phrase("the password for staging: @@", a_password),
    "login-with": phrase("login with bob / @@ for now", a_password),
    "cookie": phrase("Cookie: theme=dark; sessionid=@@; lang=en", of((LOWER, 32))),
    "set-cookie": phrase("Set-Cookie: sid=@@; HttpOnly; Path=/", of((ALNUM, 32))),
    "authorization": phrase("Authorization: Token @@", of((HEX, 40))),
    "x-api-key": phrase("X-Api-Key: @@", of((ALNUM, 32))),
    "url-password": phrase("postgres://app:@@@db.internal:5432/x", of((ALNUM, 14))),
    "query-token": phrase("GET /v1/me?access_token=@@&page=2", of((ALNUM, 40))),
    "otpauth": phrase("otpauth://totp/x:bob?secret=@@&issuer=x", of((BASE32, 32))),
    "rust-constant": phrase('const API_KEY: &str = "@@";', of((ALNUM, 30), "42")),
    "kotlin-constant": phrase('val token: String = "@@"', of((ALNUM, 30), "42")),
    "go-constant": phrase('const clientSecret string = "@@"', of((ALNUM, 30), "42")),
    "call": phrase('client.setPassword("@@")', a_password),
    "name-and-value": phrase('{"name": "DB_PASSWORD", "value": "@@"}', a_password),
    "invisible": hidden,
    "base64": in_base64,
    "hex": in_hex,
    "escaped": in_escapes,
    "percent": in_percents,
    "split": split,
    "continued": continued,
}  # fmt: skip

TOKEN_CONTEXTS = {
    "sentence": ("We pushed with @@, then it broke.", "The bot uses `@@` today."),
    "env": ("DEPLOY=@@", "export THING='@@'"),
    "yaml": ("  thing: @@", "- '@@'  # rotate"),
    "json": ('{"thing": "@@", "n": 1}', '["a", "@@"]'),
    "shell": ("deploy --with '@@' --now", "echo '@@' > out.txt"),
    "url": ("https://api.example.org/v1?x=@@&n=1", "https://example.org/hook/@@"),
    "code": (
        'const X: &str = "@@";',
        'val x: String = "@@"',
        'x := "@@"',
        "X = b'@@'",
        '$x = "@@";',
    ),
    "log": ("2026-11-22T10:00:00Z INFO client sent @@ to host", "[debug] got '@@'"),
    "name": ("deleted notes_@@.txt", "git switch fix/@@", "see dump-@@.sql", "wrote a/@@/b.log"),
    "diff": ("+  thing: '@@'", '-X = "@@"'),
}
VALUE_CONTEXTS = {
    "sentence": ("Their ## is @@, rotate it.", "the ## for staging: @@"),
    "env": ("##=@@", "export ##='@@'"),
    "yaml": ("  ##: @@", "##: '@@'", "- name: ##\n  value: @@"),
    "json": ('{"##": "@@", "n": 1}', '{"name": "##", "value": "@@"}'),
    "shell": ("run --## @@ --now", "run --##='@@'", "## = @@ ./run"),
    "url": ("https://api.example.org/v1?##=@@&n=1", "GET /x?n=1&##=@@ HTTP/1.1"),
    "code": (
        *('const ##: &str = "@@";', 'val ##: String = "@@"', 'const ## string = "@@"'),
        *('private static final String ## = "@@";', '#define ## "@@"', "define('##', '@@');"),
        *("$config['##'] = '@@';", '## = "@@"', "let ##: string = '@@'", 'char ##[] = "@@";'),
    ),
    "log": ("INFO connecting with ##=@@ to db", "[debug] ##: @@ (from env)"),
    "xml": ("<##>@@</##>", '<add key="##" value="@@" />'),
    "diff": ("+  ##: '@@'", '-## = "@@"'),
}
PHRASE_CONTEXTS = (
    *("plain", "log", "diff", "comment", "json", "list", "quote", "fence", "commit", "indent"),
)


def in_context(text: str, context: str) -> str:
    """A phrase as a line of something larger."""
    if context == "json":
        return json.dumps({"message": text, "level": "info"})
    return {
        "plain": "{}",
        "log": "2026-11-22 10:00:00,120 INFO worker-1 {}",
        "diff": "@@ -1 +1 @@\n+{}",
        "comment": "# TODO: {}",
        "list": "1. {}\n2. next",
        "quote": "> {}\n\nok",
        "fence": "```\n{}\n```",
        "commit": "fix(auth): rotate\n\n{}\n\nRefs: 12",
        "indent": "        {}",
    }[context].replace("{}", text)


def samples(seed: str) -> Iterator[Sample]:
    """The thousand, the same ones for the same seed."""
    for name, drawn in TOKENS.items():
        for context, templates in TOKEN_CONTEXTS.items():
            rng = random.Random(f"{seed} {name} {context}")
            secret = drawn(rng)
            text = rng.choice(templates).replace("@@", secret)
            yield Sample(name, context, text, (secret,))
    for name, (label, drawn) in VALUES.items():
        for context, templates in VALUE_CONTEXTS.items():
            rng = random.Random(f"{seed} {name} {context}")
            secret = drawn(rng)
            text = rng.choice(templates).replace("##", label).replace("@@", secret)
            yield Sample(name, context, text, (secret,))
    for name, make in PHRASES.items():
        for context in PHRASE_CONTEXTS:
            text, secrets = make(random.Random(f"{seed} {name} {context}"))
            yield Sample(name, context, in_context(text, context), secrets)


def left_in(sample: Sample, text: str) -> bool:
    """Whether a part of the secret is still to be read."""
    return any(secret in text for secret in sample.secrets)
