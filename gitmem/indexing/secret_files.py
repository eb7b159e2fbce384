"""Names of files that usually hold secrets; these are never read, even if git tracks them.

Programs that only speak of secrets (``credentials.py``, ``secrets.go``) are not among them, nor are
templates (``.env.example``): in those, secrets are redacted as in any other file.
"""

from __future__ import annotations

import re
from functools import cache

# Endings of settings, data and notes; "" is a name without an ending.
_DATA = (
    r"(?:\.(?:json5?|ya?ml|toml|ini|cfg|cnf|conf|config|txt|csv|tsv|xml|properties|plist|enc|bak"
    r"|old|orig|backup|save|local|dev|prod|staging|test|log|db|rc))*"
)
_HISTORIES = (
    r"\.(?:ba|z|k|c|tc|da)?sh_?history|\.(?:psql|mysql|mariadb|sqlite|rediscli|python|node_repl|irb"
    r"|pry|mongo|mongosh|php|ipython|usql|lua|ghci|octave|guile|ash|fish|scala|bc)[_-]history"
    r"|fish_history|consolehost_history\.txt|\.(?:z|r)?history|\.histfile|\.viminfo|\.lesshst"
    r"|\.dbshell|\.pry_history|\.irb-history"
)
_SETTINGS = (
    r"\.env(?:rc)?(?:[._-].*)?|env\.local|\.flaskenv|\.dev\.vars"
    r"|.+\.env(?:\.(?:local|bak|old|prod\w*|dev\w*|stag\w*|test|ci|enc|txt|json|ya?ml))?"
    r"|[._]netrc|\.pgpass|pgpass\.conf|\.my\.cnf|\.mylogin\.cnf|\.npmrc|\.pypirc|\.ht(?:passwd|digest)"
    r"|\.git-credentials|\.s3cfg|\.boto|\.?rclone\.conf|\.msmtprc|\.fetchmailrc|\.smbcredentials"
    r"|\.ftpconfig|sftp(?:-config)?\.json|\.remote-sync\.json|filezilla\.xml|recentservers\.xml"
    r"|\.dockercfg|\.dockerconfigjson|\.?terraform(?:\.)?rc|\.vault-token|settings-security\.xml"
    r"|wp-config\.php|localsettings\.php|local\.settings\.json|accesstokens\.json|\.pat|\.passwd"
    r"|cookies\.txt|\.rediscli_auth|\.trc|\.tugboat|\.wgetrc|robomongo\.json|proftpdpasswd"
)
_MANY_SHAPES = (
    r"[\w.-]*\.tf(?:vars|state)(?:\..*)?"
    rf"|(?:[\w.-]*[._-])?credentials?(?:[_-][\w-]*)?{_DATA}"
    rf"|(?:[\w.-]*[._-])?secrets?{_DATA}|secrets\.[\w-]+\.(?:ya?ml|json|toml|ini|env)"
    rf"|(?:[\w.-]*[._-])?kube-?config(?:[_-][\w-]*)?{_DATA}"
    r"|[\w.-]*service[-_.]?account[\w.-]*\.json|[\w.-]*-firebase-adminsdk[\w.-]*\.json"
    r"|client_secrets?[\w.-]*\.json|gc(?:p|loud)[-_.]?key[\w.-]*\.json"
    rf"|\.?vault[-_]?pass(?:word|wd)?{_DATA}|(?:[\w.-]*[._-])?vault\.(?:ya?ml|json|txt)|[\w.-]+\.vault"
    rf"|id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:_sk)?(?:[._-][\w-]+)?(?:\.pub)?{_DATA}"
    rf"|(?:[\w.-]*[._-])?passw(?:or)?ds?(?:\.(?:txt|csv|json|xml|ya?ml|ini))|htpasswd|passwd|shadow"
)
_KEYS = (
    r".*\.(?:pem|key|p8|p12|pfx|pkcs12|jks|jceks|bks|keystore|truststore|kdbx?|ppk|gpg|pgp|asc|age"
    r"|ovpn|keychain|agilekeychain|1pif|psafe3|kwallet|keytab|mobileprovision|har)|secring\..*"
)
# Programs and documents, most of what there is: spared the patterns, and never refused.
_PLAIN = (
    *(".py", ".pyi", ".js", ".jsx", ".ts", ".tsx", ".go", ".rs", ".java", ".kt", ".c", ".h"),
    *(".cc", ".cpp", ".hpp", ".cs", ".rb", ".swift", ".scala", ".html", ".css", ".scss"),
    *(".md", ".rst"),
)
_FILES = f"{_SETTINGS}|{_HISTORIES}|{_MANY_SHAPES}"
_TEMPLATE = r"(?:^|[._-])(?:example|sample|template|tmpl|dist)(?:[._-]|$)"
# Folders of tools that log in somewhere, and files that are secret only in their folder.
_PLACES = (
    r"(?:^|/)(?:\.(?:ssh|gnupg|azure|aws|password-store)/[^/]+|\.docker/config\.json|\.kube/.*config.*"
    r"|\.config/(?:gcloud|gh|hub|doctl|rclone|op)/.*|\.m2/settings\.xml|\.vnc/passwd"
    r"|\.terraform\.d/.*\.json|\.cargo/credentials.*|\.gem/credentials|\.subversion/auth/.*)$"
)
_DUMP = (
    r"(?:(?:[\w.-]*[._-])?(?:dump|backup)(?:[._-]?\d[\w.:-]*)?|(?:dump|backup)[._-][\w.:-]*"
    r"|(?:[\w.-]*)dumpall)\.sql(?:\.\w+)?|.*\.sql\.(?:gz|bz2|xz|zst|lz4|zip|7z|br)"
    r"|.*\.(?:pg)?dump(?:\.\w+)?|dump\.rdb|.*\.(?:hprof|dmp|mdmp)"
)
_DUMPED = re.compile(
    rb"\s{0,8}(?:--[^\n]{0,80}(?:MySQL|MariaDB|PostgreSQL|SQL)[^\n]{0,40} dump\b"
    rb"|PRAGMA foreign_keys=OFF;\s{1,4}BEGIN TRANSACTION;)",
)
_ROW = b"insert into "
# From so many rows on, if they are most of the lines, it is data.
_ROWS = 50


def secret_file_reason(path: str) -> str:
    """The reason why a path is never read: ``secret`` or ``database dump``; empty if it may be."""
    if path.endswith(_PLAIN) and "/." not in path:
        return ""
    name = path.rpartition("/")[2]
    if _read(_KEYS).fullmatch(name):
        return "secret"
    if _read(_FILES).fullmatch(name) or _read(_PLACES).search(path):
        return "" if _read(_TEMPLATE).search(name) else "secret"
    return "database dump" if _read(_DUMP).fullmatch(name) else ""


@cache
def _read(pattern: str) -> re.Pattern[str]:
    """The pattern, compiled when the first name is looked at: 30 ms that a parser process saves."""
    return re.compile(pattern, re.IGNORECASE)


def is_sql_dump(data: bytes) -> bool:
    """Whether content is a database dump in SQL: by its first line, or if most lines are rows."""
    if b"dump" in data[:512] or b"PRAGMA" in data[:64]:
        head = data[:512].split(b"\n\n", 1)[0]
        if _DUMPED.match(head) or any(map(_DUMPED.match, head.split(b"\n")[:4])):
            return True
    if data[:200_000].lower().count(_ROW) < _ROWS:
        return False
    lines = [line for line in data.lower().split(b"\n") if line.strip()]
    return sum(line.startswith(_ROW) for line in lines) * 2 > len(lines)
