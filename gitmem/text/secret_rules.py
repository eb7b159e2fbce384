"""The table of secret formats: what each looks like, and how to know that one is worth a look.

A rule costs nothing until one of its ``triggers`` (lower-case substrings) is in the text; only then
its pattern is compiled. Patterns are anchored on literals, use bounded or possessive repeats and
stay linear on hostile input. The first group is the secret, or the whole match if there is none.
"""

from __future__ import annotations

from gitmem.model.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Rule:
    """One format. ``accept`` has the last word on a candidate; the default asks for randomness."""

    kind: str
    triggers: tuple[str, ...]
    pattern: str
    accept: Callable[[str], bool] | None = None


# A token neither begins nor ends in the middle of a longer word.
NOT_INSIDE_A_WORD = _B = r"(?<![A-Za-z0-9])"
_E = r"(?![A-Za-z0-9])"

_FILLERS = (
    *("example", "placeholder", "changeme", "change_me", "change-me", "redacted", "replace"),
    *("dummy", "sample", "insert", "yourtoken", "your_", "your-", "yourkey", "yourapi"),
    *("0123456789", "1234567890", "abcdefgh", "xxxx", "aaaaa", "00000000", "****", "...."),
)


def looks_random(secret: str) -> bool:
    """Not a documentation example: enough different characters and no filler word."""
    low = secret.lower()
    return len(set(low)) >= min(8, len(low) // 3) and not any(word in low for word in _FILLERS)


def _github(token: str) -> bool:
    """GitHub's last six characters are a CRC-32: a right one beats a filler-looking body."""
    if looks_random(token):
        return True
    import zlib  # noqa: PLC0415  # rarely needed

    body, found = token[4:-6], token[-6:]
    left, digits = zlib.crc32(body.encode()), ""
    alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    while left:
        left, digit = divmod(left, 62)
        digits = alphabet[digit] + digits
    return digits.rjust(6, "0") == found


def _decoded(text: str) -> bytes:
    import binascii  # noqa: PLC0415  # rarely needed

    standard = text.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return binascii.a2b_base64(standard + "=" * (-len(standard) % 4))
    except ValueError:  # a length or a letter base64 never has
        return b""


def _jwt(token: str) -> bool:
    """The first part must be a real header, a JSON object that names an algorithm."""
    header = _decoded(token.partition(".")[0])
    return header.startswith(b"{") and (b'"alg"' in header or b'"enc"' in header)


def _discord(token: str) -> bool:
    """The first part of a bot token is the bot's number."""
    return _decoded(token.partition(".")[0]).isdigit()


def _basic(encoded: str) -> bool:
    """Basic credentials decode to ``user:password``."""
    user, colon, password = _decoded(encoded).partition(b":")
    return bool(colon) and password not in {b"", b"password", b"pass"} and user.isascii()


def _url_password(password: str) -> bool:
    """Anything but a stand-in: documentation is full of ``user:password@host``."""
    low = password.lower().rstrip("0123456789")
    if low in _STAND_INS or password[0] in "$%{*(" or (not low and len(password) < 6):
        return False
    return not any(word in low for word in _FILLERS)


_STAND_INS = (
    *("password", "passwd", "passwort", "pass", "pwd", "pw", "p", "pa", "secret", "token", "user"),
    *("username", "mypassword", "my-password", "userpassword", "userpass", "api_key", "key", "x"),
    *(
        "your-password",
        "yourpassword",
        "the_password",
        "db_password",
        "access_token",
        "xxx",
        "port",
    ),
)


RULES: tuple[Rule, ...] = (
    Rule("github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
         rf"{_B}gh[pousr]_[A-Za-z0-9]{{36,255}}{_E}", _github),
    Rule("github-token", ("github_pat_",),
         rf"{_B}github_pat_[A-Za-z0-9]{{20,24}}_[A-Za-z0-9]{{50,100}}+"),
    Rule("gitlab-token", ("gl",),
         rf"{_B}gl(?:pat|dt|rt|rtr|cbt|ptt|ft|imt|agent|oas|soat|ffct|wt)-[\w-]{{20,300}}+"
         r"(?:\.[0-9a-z]{2}\.[0-9a-z]{7,9})?"),
    Rule("gitlab-token", ("gr1348941",), rf"{_B}GR1348941[\w-]{{20,50}}+"),
    Rule("aws-access-key-id", ("akia", "asia", "abia", "acca", "a3t"),
         rf"{_B}(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{{16}}{_E}"),
    Rule("google-api-key", ("aiza",), rf"{_B}AIza[\w-]{{35}}(?![\w-])"),
    Rule("google-oauth-secret", ("gocspx-",), rf"{_B}GOCSPX-[\w-]{{28}}(?![\w-])"),
    Rule("google-oauth-token", ("ya29.",), rf"{_B}ya29\.[\w-]{{30,2000}}+"),
    Rule("google-oauth-token", ("1//0",), r"(?<![\w/])1//0[\w-]{40,200}+"),
    Rule("slack-token", ("xox",), rf"{_B}xox[abeoprsc]-[0-9A-Za-z-]{{10,400}}+"),
    Rule("slack-token", ("xoxe.",), rf"{_B}xoxe\.xox[bp]-\d-[0-9A-Za-z]{{20,400}}+"),
    Rule("slack-token", ("xapp-",),
         rf"{_B}xapp-\d-[A-Z0-9]{{6,20}}-\d{{6,20}}-[a-z0-9]{{20,100}}+"),
    Rule("slack-webhook", ("hooks.slack",),
         r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/([\w/+-]{20,120}+)"),
    Rule("stripe-key", ("_live_", "_test_"),
         rf"{_B}[sr]k_(?:live|test)_[A-Za-z0-9]{{16,250}}+"),
    Rule("stripe-webhook-secret", ("whsec_",), rf"{_B}whsec_[A-Za-z0-9+/=]{{24,100}}+"),
    Rule("anthropic-key", ("sk-ant-",), rf"{_B}sk-ant-[a-z]{{2,10}}\d{{0,3}}-[\w-]{{20,200}}+"),
    Rule("openai-key", ("sk-",), rf"{_B}sk-(?:proj|svcacct|admin|None|service)-[\w-]{{20,250}}+"),
    Rule("openai-key", ("t3blbkfj",), rf"{_B}sk-[A-Za-z0-9]{{20}}T3BlbkFJ[\w-]{{20,90}}+"),
    Rule("openrouter-key", ("sk-or-",), rf"{_B}sk-or-v1-[0-9a-f]{{64}}{_E}"),
    Rule("api-key", ("sk-",), rf"{_B}sk-(?=[A-Za-z]{{0,40}}[0-9])[A-Za-z0-9]{{32,64}}+(?![\w-])"),
    Rule("huggingface-token", ("hf_",), rf"{_B}hf_[A-Za-z0-9]{{30,40}}{_E}"),
    Rule("huggingface-token", ("api_org_",), rf"{_B}api_org_[A-Za-z0-9]{{30,40}}{_E}"),
    Rule("npm-token", ("npm_",), rf"{_B}npm_[A-Za-z0-9]{{36}}{_E}"),
    Rule("pypi-token", ("pypi-ag",), rf"{_B}pypi-Ag[EI][\w-]{{50,500}}+"),
    Rule("docker-token", ("dckr_",), rf"{_B}dckr_(?:pat|oat)_[\w-]{{27,40}}+"),
    Rule("azure-storage-key", ("accountkey=", "sharedaccesskey=", "accesskey="),
         r"(?i:AccountKey|SharedAccessKey|AccessKey)=([A-Za-z0-9+/]{43,86}+={1,2})"),
    Rule("azure-sas-signature", ("sig=",), r"[?&;]sig=([A-Za-z0-9%+/]{40,100}+(?:=|%3[Dd])?)"),
    Rule("azure-client-secret", ("q~",),
         r"(?<![\w.~-])[\w.~-]{3}[0-9]Q~[\w.~-]{31,34}(?![\w.~-])"),
    Rule("azure-key", ("jqqj9",), rf"{_B}[A-Za-z0-9]{{52}}JQQJ9[A-Za-z0-9]{{27}}{_E}"),
    Rule("azure-key", ("azdo",), rf"{_B}[A-Za-z0-9]{{76}}AZDO[A-Za-z0-9]{{4}}{_E}"),
    Rule("azure-key", ("+ast", "+abc", "+amc"),
         r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{76}\+(?:ASt|ABc|AMC)[A-Za-z0-9+/]{5,6}==?"),
    Rule("twilio-key", ("sk",), rf"{_B}SK[0-9a-f]{{32}}{_E}"),
    Rule("sendgrid-key", ("sg.",), rf"{_B}SG\.[\w-]{{20,24}}\.[\w-]{{39,50}}+"),
    Rule("mailgun-key", ("key-",), r"(?<![\w-])key-[0-9a-f]{32}(?![\w-])"),
    Rule("mailgun-key", ("mailgun",), rf"{_B}[0-9a-f]{{32}}-[0-9a-f]{{8}}-[0-9a-f]{{8}}(?![\w-])"),
    Rule("mailchimp-key", ("-us",), rf"{_B}[0-9a-f]{{32}}-us[0-9]{{1,2}}{_E}"),
    Rule("telegram-token", (":aa",), r"(?<![\w:])[0-9]{8,10}:AA[\w-]{33}(?![\w-])"),
    Rule("discord-token", (".",),
         r"[MNO](?<![\w.-].)[\w-]{22,28}\.[\w-]{6}\.[\w-]{27,45}(?![\w-])", _discord),
    Rule("discord-webhook", ("api/webhooks/",),
         r"discord(?:app)?\.com/api/webhooks/[0-9]{15,22}/([\w-]{50,100}+)"),
    Rule("teams-webhook", ("webhook.office.com",),
         r"webhook\.office\.com/webhookb2/([\w@-]{30,120}/IncomingWebhook/[\w/-]{30,120}+)"),
    Rule("digitalocean-token", ("_v1_",), rf"{_B}do[opr]_v1_[0-9a-f]{{64}}{_E}"),
    Rule("heroku-key", ("hrku-",), rf"{_B}HRKU-[\w-]{{50,70}}+"),
    Rule("shopify-token", ("shp",), rf"{_B}shp(?:at|ca|pa|ss)_[a-fA-F0-9]{{32}}{_E}"),
    Rule("square-token", ("sq0",), rf"{_B}sq0(?:atp|csp|idp)-[\w-]{{22,43}}(?![\w-])"),
    Rule("square-token", ("eaaa",), r"(?<![\w+/=-])EAAA[\w-]{60}(?![\w+/=-])"),
    Rule("linear-key", ("lin_",), rf"{_B}lin_(?:api|oauth|wh)_[A-Za-z0-9]{{32,64}}{_E}"),
    Rule("notion-token", ("ntn_",), rf"{_B}ntn_[0-9]{{11}}[A-Za-z0-9]{{32,35}}{_E}"),
    Rule("notion-token", ("secret_",), rf"{_B}secret_[A-Za-z0-9]{{43}}{_E}"),
    Rule("vault-token", ("hvs.", "hvb.", "hvr."), rf"{_B}hv[sbr]\.[\w-]{{24,300}}+"),
    Rule("terraform-token", (".atlasv1.",), rf"{_B}[A-Za-z0-9]{{14}}\.atlasv1\.[\w=-]{{60,90}}+"),
    Rule("databricks-token", ("dapi",), rf"{_B}dapi[0-9a-f]{{32}}(?:-[0-9])?{_E}"),
    Rule("age-key", ("age-secret-key-",), rf"{_B}AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{{50,120}}+"),
    Rule("1password-token", ("ops_ey",), rf"{_B}ops_eyJ[\w+/-]{{100,3000}}+={{0,3}}"),
    Rule("1password-key", ("a3-",),
         rf"{_B}A3-[A-Z0-9]{{6}}-(?:[A-Z0-9]{{11}}|[A-Z0-9]{{6}}-[A-Z0-9]{{5}})"
         rf"(?:-[A-Z0-9]{{5}}){{3}}{_E}"),
    Rule("postman-key", ("pmak-",), rf"{_B}PMAK-[0-9a-f]{{24}}-[0-9a-f]{{34}}{_E}"),
    Rule("grafana-token", ("glsa_", "glc_ey"),
         rf"{_B}(?:glsa_[A-Za-z0-9]{{32}}_[0-9a-fA-F]{{8}}|glc_eyJ[\w+/-]{{40,400}}+={{0,2}})"),
    Rule("sentry-token", ("sntry",), rf"{_B}sntry(?:u_[0-9a-f]{{64}}|s_eyJ[\w+/=-]{{60,400}}+)"),
    Rule("new-relic-key", ("nrak-", "nraa-", "nrjs-"),
         rf"{_B}NR(?:AK|AA|JS)-[A-Za-z0-9]{{19,32}}{_E}"),
    Rule("planetscale-token", ("pscale_",), rf"{_B}pscale_(?:tkn|pw|oauth)_[\w.=-]{{32,64}}+"),
    Rule("doppler-token", ("dp.",),
         rf"{_B}dp\.(?:pt|ct|sa|scim|audit|st\.[\w-]{{1,35}})\.[A-Za-z0-9]{{40,44}}{_E}"),
    Rule("pulumi-token", ("pul-",), rf"{_B}pul-[0-9a-f]{{40}}{_E}"),
    Rule("figma-token", ("figd_",), rf"{_B}figd_[\w-]{{40,60}}+"),
    Rule("airtable-token", ("pat",), rf"{_B}pat[A-Za-z0-9]{{14}}\.[0-9a-f]{{64}}{_E}"),
    Rule("atlassian-token", ("atatt3", "atctt3", "atbb"),
         rf"{_B}(?:AT[AC]TT3[\w=-]{{60,300}}+|ATBB[A-Za-z0-9]{{32}}{_E})"),
    Rule("rubygems-key", ("rubygems_",), rf"{_B}rubygems_[0-9a-f]{{48}}{_E}"),
    Rule("crates-io-token", ("cio",), rf"{_B}cio[A-Za-z0-9]{{32}}{_E}"),
    Rule("nuget-key", ("oy2",), rf"{_B}oy2[a-z0-9]{{43}}{_E}"),
    Rule("groq-key", ("gsk_",), rf"{_B}gsk_[A-Za-z0-9]{{48,56}}{_E}"),
    Rule("xai-key", ("xai-",), rf"{_B}xai-[A-Za-z0-9]{{70,90}}{_E}"),
    Rule("replicate-token", ("r8_",), rf"{_B}r8_[A-Za-z0-9]{{37}}{_E}"),
    Rule("perplexity-key", ("pplx-",), rf"{_B}pplx-[A-Za-z0-9]{{48}}{_E}"),
    Rule("langsmith-key", ("lsv2_",), rf"{_B}lsv2_(?:pt|sk)_[0-9a-f]{{32}}_[0-9a-f]{{10}}{_E}"),
    Rule("supabase-key", ("sbp_", "sb_secret_"),
         rf"{_B}(?:sbp_[0-9a-f]{{40}}|sb_secret_[\w-]{{31,50}}+)"),
    Rule("netlify-token", ("nfp_",), rf"{_B}nfp_[A-Za-z0-9]{{36}}{_E}"),
    Rule("fly-token", ("fm2_", "fo1_"),
         rf"{_B}(?:fm2_[\w+/=-]{{60,2000}}+|fo1_[\w-]{{43}}(?![\w-]))"),
    Rule("tailscale-key", ("tskey-",),
         rf"{_B}tskey-[a-z]{{3,10}}-[A-Za-z0-9]{{8,30}}-[A-Za-z0-9]{{16,64}}+"),
    Rule("artifactory-token", ("akcp", "cmvmd"),
         rf"{_B}(?:AKCp[0-9][A-Za-z0-9]{{60,80}}|cmVmd[A-Za-z0-9]{{55,65}}){_E}"),
    Rule("brevo-key", ("xkeysib-",), rf"{_B}xkeysib-[0-9a-f]{{64}}-[A-Za-z0-9]{{16}}{_E}"),
    Rule("dropbox-token", ("sl.",), rf"{_B}sl\.(?:u\.)?[\w-]{{130,2000}}+"),
    Rule("easypost-key", ("ezak", "eztk"), rf"{_B}EZ[AT]K[A-Za-z0-9]{{54}}{_E}"),
    Rule("sonar-token", ("sqp_", "squ_", "sqa_"), rf"{_B}sq[pua]_[0-9a-f]{{40}}{_E}"),
    Rule("buildkite-token", ("bkua_",), rf"{_B}bkua_[0-9a-f]{{40}}{_E}"),
    Rule("sourcegraph-token", ("sgp_",), rf"{_B}sgp_(?:[0-9a-f]{{16}}_|local_)?[0-9a-f]{{40}}{_E}"),
    Rule("jwt", ("eyj",), rf"{_B}eyJ[\w-]{{8,2000}}+(?:\.[\w-]{{0,8000}}+){{2,4}}", _jwt),
    Rule("basic-auth", ("basic ",),
         r"(?i:\bbasic) {1,4}([A-Za-z0-9+/_-]{8,500}+={0,2})(?![\w.])", _basic),
    Rule("bearer-token", ("bearer ",),
         r"(?i:\bbearer) {1,4}((?=[A-Za-z._~+/-]{0,80}[0-9])[A-Za-z0-9._~+/-]{20,4000}+={0,2})"),
    Rule("url-password", ("://",),
         r"://[^\s:/?#@'\"<>\[\]]{0,128}+:([^\s/@'\"<>]{1,256}+)@(?=[\w\[])", _url_password),
    Rule("url-token", ("@",),
         r"://((?=[A-Za-z_-]{0,60}[0-9])[A-Za-z0-9_-]{20,255}+)(?::x-oauth-basic)?@(?=[\w\[])"),
    Rule("netrc-password", ("password ",),
         r"\blogin {1,4}[^\s]{1,200}+\s{1,8}password {1,4}([^\s]{4,200}+)"),
)  # fmt: skip
