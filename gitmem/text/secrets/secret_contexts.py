"""Rules for secrets known by their context: headers, cookies, addresses, commands, SQL, hashes.

As with formats, a rule is tried only where one of its ``triggers`` is in the text, and its first
group is the secret. These values need no long run of letters and digits.
"""

from __future__ import annotations

from gitmem.text.secrets.secret_checks import (
    UUID,
    Rule,
    has_letters_and_digits,
    has_mixed_case,
    has_random_case,
    has_random_tail,
    is_basic_credentials,
    is_password_in_sentence,
    is_real_password,
    is_strong_password,
    looks_random,
)

_Q = r"[\"'`]?"
# An option of a command line; an address with a user.
_OPTION = r"-(?<=\s-)(?:[aupw]|-(?:user|proxy-user|auth))"
_ADDRESS = r"://[^\s/@]{0,400}+@"
_WORD = r"([^\s\"'`]{4,200}+)"  # one word of a command line
_VALUE = r"([^\s\"'`;,<>{}()\[\]\\]{8,4096}+)"


def _header(value: str) -> bool:
    return (
        value[0] not in "$%<{*"
        and len(value) >= 10
        and (has_letters_and_digits(value) or has_random_case(value))
        and not {"(", ":"} & set(value)
    )


def _cookie(value: str) -> bool:
    return (has_letters_and_digits(value) or has_random_case(value)) and not value.replace(
        ".", ""
    ).isdigit()


def _base32(value: str) -> bool:
    letters = value.replace(" ", "").replace("-", "")
    return len(letters) >= 16 and looks_random(letters) and len(set(letters)) >= 8


def _worded(value: str) -> bool:
    """Whether the content of an XML element has a random word."""
    return any(
        len(word) >= 16 and has_letters_and_digits(word.strip("{}")) for word in value.split()
    )


def _fields(value: str) -> bool:
    """Whether it is the end of a ``.pgpass`` line."""
    return len(value) >= 4 and is_real_password(value)


def _phrase(value: str) -> bool:
    """Whether it is the recovery phrase of a wallet: random words, with hardly a repeat."""
    words = value.split()
    return len(set(words)) >= len(words) - 2


CONTEXTS: tuple[Rule, ...] = (
    Rule("basic-auth", ("basic ",),
         r"(?i:\bbasic) {1,4}([A-Za-z0-9+/_-]{8,500}+={0,2})(?![\w.])", is_basic_credentials),
    Rule("basic-auth", ("\"auth", "'auth"),
         r"[\"']auth\\?[\"']\s{0,4}:\s{0,4}\\?[\"']([A-Za-z0-9+/_-]{8,500}+={0,2})\\?[\"']",
         is_basic_credentials),
    Rule("bearer-token", ("bearer ",),
         r"(?i:\bbearer) {1,4}((?=[A-Za-z._~+/-]{0,80}[0-9])[A-Za-z0-9._~+/-]{20,4000}+={0,2})",
         lambda value: looks_random(value) or has_random_tail(value)),
    Rule("auth-header", ("authorization", "ssws"),
         r"(?i:authorization[\"'`]?\s{0,3}[:=,]\s{0,4}[\"'`]?(?!(?:basic|digest|aws4)\b)"
         r"(?:[a-z][\w-]{1,24}\s{1,4})?(?:token\s?=\s?[\"']?)?|\bssws )" + _VALUE, _header),
    Rule("auth-header", ("x-", "-token", "-key", "-crumb"),
         r"(?i:(?<![\w-])(?!sec-web)(?:x-[a-z-]{0,30}|[a-z]{2,12}-(?:[a-z]{2,12}-)?)(?:token|key|auth"
         r"|secret|crumb|signature|password)[\"']?\s{0,2}:\s{0,3}[\"']?)" + _VALUE, _header,
         needs=r"-(?:(?<=x-)(?<![\w-]x-)|token|key|crumb)"),
    Rule("cookie", ("cookie",),
         r"(?i)(?:cookies?[\"'`]?\s{0,2}[:=(]\s{0,3}[\"'`{]{0,2}|;\s|&|[\"'])"
         r"(?:[\w.-]{0,40}(?:sess|sid|auth|tok|sso|jwt|login|remember|csrf|xsrf|_t"
         r"|id))[\w.-]{0,40}(?:=|[\"']\s?:\s?[\"'])([^\s;,\"'`\\<>]{8,4096}+)", _cookie),
    Rule("cookie", ("sessid", "sessionid", "session_id", "connect.sid", "_session", "csrftoken",
           "wordpress_"),
         r"(?i)(?:phpsessid|jsessionid|asp\.net_sessionid|connect\.sid|sessionid|session_id"
         r"|\w{2,30}_session|csrftoken|wordpress_(?:logged_in"
         r"|sec)_\w{1,40})[\"']?\s{0,2}[=:]\s{0,2}[\"']?([\w.%:+/=~-]{16,4096}+)", _cookie),
    Rule("url-password", ("://",),
         r"://[^\s:/?#@'\"<>\[\]]{0,128}+:([^\s/@'\"<>]{1,256}+"
         r"(?:@[^\s/@'\"<>,:]{1,64}+(?=@))?)@(?=[\w\[])", is_real_password, needs=_ADDRESS),
    Rule("url-token", ("@",),
         r"://((?=[A-Za-z_-]{0,60}[0-9])[A-Za-z0-9_-]{20,255}+)(?::x-oauth-basic)?@(?=[\w\[])",
         needs=_ADDRESS),
    Rule("netrc-password", ("password ",),
         r"\blogin\s{1,8}[^\s]{1,200}+\s{1,8}password {1,4}([^\s]{4,200}+)", is_real_password),
    Rule("pgpass-password", (":5432:", ":*:"),
         r"(?m)^[\w.*-]{1,200}+:(?:[0-9]{2,5}|\*):[^:\s]{1,100}+:[^:\s]{1,100}+:("
         r"[^\s:]{4,200}+)$", _fields),
    Rule("azure-storage-key", ("accountkey=", "sharedaccesskey=", "accesskey="),
         r"(?i:AccountKey|SharedAccessKey|AccessKey)=([A-Za-z0-9+/]{43,86}+={1,2})"),
    Rule("azure-sas-signature", ("sig=",), r"[?&;]sig=([A-Za-z0-9%+/]{40,100}+(?:=|%3[Dd])?)"),
    Rule("azure-client-secret", ("q~",),
         r"(?<![\w.~-])[\w.~-]{3}[0-9]Q~[\w.~-]{31,34}(?![\w.~-])"),
    Rule("azure-key", ("+ast", "+abc", "+amc"),
         r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{76}\+(?:ASt|ABc|AMC)[A-Za-z0-9+/]{5,6}==?"),
    Rule("aws-secret-key", ("akia", "asia"),
         r"(?s:(?:AKIA|ASIA)[A-Z2-7]{16}.{0,60}?)(?<![A-Za-z0-9+/])([A-Za-z0-9+/]{40})(?!"
         r"[A-Za-z0-9+/=])", has_mixed_case),
    Rule("aws-session-token", ("akia", "asia"),
         r"(?s:(?:AKIA|ASIA)[A-Z0-9]{16}.{0,160}?)(?<![A-Za-z0-9+/])([A-Za-z0-9+/]{200,3000}+={0,2})"
         r"(?![\w+/])", has_mixed_case),
    Rule("vault-unseal-key", ("unseal",),
         r"(?i:unseal)[ \w-]{0,12}:?\s{1,4}([A-Za-z0-9+/]{43,44}={0,1})(?![\w+/])"),
    Rule("kubernetes-token", ("token", "bootstrap"),
         r"(?i:token|bootstrap)[\w \"'=:-]{0,12}(?<![a-z0-9.])([a-z0-9]{6}\.[a-z0-9]{16})(?!"
         r"[\w.])", has_letters_and_digits, needs=r"\.(?<=[a-z0-9]{6}\.)[a-z0-9]{16}"),
    # Parts of addresses, options or calls of one provider.
    Rule("api-key", ("appid=",), r"(?i:\bappid)=([0-9a-f]{32})(?![\w-])"),
    Rule("api-key", ("sonar.login", "cc_test_reporter_id"),
         r"(?i:sonar\.login|cc_test_reporter_id)[\"']?\s{0,2}[=:]\s{0,2}[\"']?"
         r"([0-9a-f]{40,64})(?!\w)"),
    Rule("twilio-key", ("client(",),
         r"Client\(\s{0,4}[\"']AC[0-9a-f]{32}[\"'],\s{0,20}[\"']([0-9a-f]{32})[\"']"),
    Rule("url-token", ("blynk", "hc-ping", "/bot/v2/hook/", "thingsboard"),
         rf"://[\w.-]{{0,60}}(?:blynk[\w.-]{{0,20}}/(?=[0-9a-f]{{32}}/)|hc-ping\.com/(?={UUID})|/bot/v2/hook/(?={UUID})"
         r"|thingsboard[\w.:-]{0,20}/api/v1/(?=[A-Za-z0-9]{20}/))([\w-]{20,36})"),
    Rule("command-token", ("geniekey", "auth:token", "codecov", "splunk "),
         rf"(?i:geniekey|auth:token|\bsplunk|codecov\S{{0,40}}\s-t)\s{{1,4}}[\"']?({UUID})"),
    Rule("command-token", ("wandb login",), r"wandb login\s{1,4}([0-9a-f]{40})(?!\w)"),
    Rule("azure-function-key", ("azurewebsites.net",),
         r"://[\w.-]{1,80}\.azurewebsites\.net/[^\s\"'?]{1,200}+\?[^\s\"']{0,80}?code=([\w/+-]{40,80}+={0,2})"),
    Rule("private-key", ("0x",),
         r"(?i:private[ _-]?key|accounts|wallet|deployer|signer)[^\n]{0,40}?\b0x"
         r"([0-9a-f]{64})(?!\w)", needs="0x[0-9a-f]{64}"),
    Rule("recovery-phrase", ("mnemonic", "seed phrase", "recovery phrase"),
         r"(?i:mnemonic|(?:seed|recovery) phrase)[\"']?\s{0,3}(?:[:=]|\bis:?)\s{0,3}[\"']?"
         r"((?:[a-z]{3,8} ){11}(?:(?:[a-z]{3,8} ){12})?[a-z]{3,8})(?![\w ])", _phrase),
    Rule("password-hash", ("scram-sha",),
         r"SCRAM-SHA-\d{1,3}\$\d{1,9}:([A-Za-z0-9+/=]{8,60}+\$[A-Za-z0-9+/=]{20,100}+"
         r":[A-Za-z0-9+/=]{20,100}+)"),
    Rule("google-chat-webhook", ("chat.googleapis.com",),
         r"chat\.googleapis\.com/v1/spaces/[^\s?]{1,60}+\?[^\s\"']{0,80}?token=([\w%-]{30,120}+)"),
    # Command lines.
    Rule("command-password", ("curl", "wget", "http"),
         rf"\s(?:-u|-a|-U|--user|--proxy-user|--auth)[ =]?{_Q}[^\s:\"'$<{{]{{1,100}}+:{_WORD}",
         is_real_password, needs=_OPTION),
    Rule("command-password", ("sshpass", "plink", "-pw"),
         rf"(?:sshpass\s{{1,4}}-p|-pw)\s{{0,4}}{_Q}{_WORD}", is_real_password),
    Rule("command-password", ("mysql", "mariadb", "7z"), rf"\s-p{_Q}{_WORD}", is_strong_password,
         needs=_OPTION),
    Rule("command-password", (" login", "psexec", "mongo", "sshpass", "mysql", "connect", "zip"),
         rf"\s-[pP]\s{{1,4}}{_Q}{_WORD}", is_password_in_sentence, needs=_OPTION),
    Rule("command-password", ("redis-cli", "ldap", "sqlcmd", "bcp ", "isql"),
         rf"\s-[aPwp]\s{{0,4}}{_Q}{_WORD}", is_password_in_sentence, needs=_OPTION),
    Rule("command-password", ("smbclient", "smbmap", "rpcclient"),
         rf"\s-U\s{{0,4}}{_Q}[^\s%]{{1,100}}+%{_WORD}", is_real_password, needs=_OPTION),
    Rule("command-password", ("pass:",), rf"(?<![\w-])pass:{_WORD}", is_strong_password),
    Rule("command-password", ("/user:",),
         rf"(?i:net use)\s[^\n]{{1,100}}?\s{_WORD}\s{{1,4}}/user:", is_real_password),
    Rule("command-password", ("/user:",),
         rf"(?<!/)/user:\S{{1,100}}+\s{{1,4}}{_WORD}", is_strong_password),
    Rule("command-password", ("htpasswd",),
         rf"htpasswd\s[^\n|]{{0,80}}?-\w{{0,4}}b\w{{0,4}}\s{{1,4}}\S{{1,200}}+\s{{1,4}}"
         rf"\S{{1,200}}+\s{{1,4}}{_Q}{_WORD}", is_real_password),
    Rule("command-password", ("echo ", "printf "),
         rf"(?:echo|printf)\s{{1,4}}(?:-n\s{{1,4}})?{_Q}"
         rf"(?:[\w.-]{{1,60}}:)?([^\s\"'`$:]{{4,200}}+){_Q}\s{{0,4}}\|\s{{0,4}}"
         r"(?:sudo\s-S|docker login|podman login|helm registry login|chpasswd|passwd|gh auth"
         r"|sudo chpasswd)", is_real_password),
    Rule("command-password", ("securestring",),
         r"(?i:ConvertTo-SecureString)\s{1,4}(?:-String\s{1,4})?[\"']([^\"'\n$]{4,200}+)[\"']",
         is_real_password),
    Rule("command-password", ("networkcredential", "directoryentry"),
         r"(?i:NetworkCredential|DirectoryEntry)\s{0,2}\("
         r"(?:\s{0,20}[\"'][^\"'\n]{1,100}[\"']\s{0,2},){1,2}\s{0,20}[\"']([^\"'\n]{4,100}+)"
         r"[\"']", is_strong_password),
    Rule("secret", ("secret>", "password>", "token>", "privatekey>"),
         r"(?i:<[\w:.-]{0,40}(?:secret|password|token|privatekey)>)([^<>\n]{8,500}+)(?=</)",
         _worded),
    # Jenkins and similar programs store credentials of every kind under uninformative names.
    Rule("secret", ("id>{", "session>{", "username>{"),
         r"(?i:<(?:id|session|username)>)(\{[^<>\n}]{16,4096}+\})(?=</)", _worded),
    # Private keys as XML and as JSON: the parts that are not public.
    Rule("private-key", ("</d>", "</p>", "</q>", "</inverseq>"),
         r"(?i:<(?:d|p|q|dp|dq|inverseq)>)([A-Za-z0-9+/]{40,2000}+={0,2})(?=</)", has_mixed_case),
    Rule("private-key", ("\"kty\"",),
         r"\"(?:d|p|q|dp|dq|qi|k)\"\s{0,4}:\s{0,4}\"([\w-]{40,2000}+)\"", has_mixed_case),
    # Databases.
    Rule("sql-password", ("identified",),
         r"(?i:identified\s{1,4}(?:with\s{1,4}\S{1,60}\s{1,4})?(?:by|as)\s{1,4}"
         r"(?:password\s{1,4})?)[\"']((?!\.)[^\"'`\n]{4,200}+)[\"']", is_real_password),
    Rule("sql-password", ("password",),
         r"(?i:\bpassword\s{1,4}(?:=\s{0,4})?(?:\(\s{0,2})?)'([^'\n\s]{4,200}+)'",
         is_strong_password),
    # Hashes of passwords, which can be guessed offline.
    Rule("password-hash", ("$1$", "$5$", "$6$", "$7$", "$8$", "$9$", "$y$", "$gy$", "$apr1$",
           "$md5$", "$sha1$", "$2$", "$2a$", "$2b$", "$2x$", "$2y$", "$krb5", "$argon2"),
         r"(?<![A-Za-z0-9$])\$(?:apr1|1|5|6|8|9|y|7|gy|md5|sha1)\$(?:rounds=\d{1,9}\$)?"
         r"(?:[./A-Za-z0-9]{1,30}\$){1,2}[./A-Za-z0-9]{20,100}+"
         r"|(?<![A-Za-z0-9$])\$2[abxy]?\$[0-9]{2}\$[./A-Za-z0-9]{53}|\$krb5(?:asrep"
         r"|tgs)\$\d{1,3}\$[^\s]{0,200}?[0-9a-f]{32}\$[0-9a-f]{64,8192}+|\$argon2(?:id|i"
         r"|d)\$v=\d{1,3}\$[\w=,]{5,60}+\$[A-Za-z0-9+/]{8,100}+={0,2}\$[A-Za-z0-9+/]{16,200}+"
         r"={0,2}", looks_random, needs=r"\$[a-z0-9]{1,9}\$"),
    Rule("password-hash", ("pbkdf2", "scrypt:"),
         r"\bpbkdf2_sha\d{1,3}\$\d{1,9}\$[\w./+-]{1,60}+\$[A-Za-z0-9+/]{20,120}+={0,2}"
         r"|\b(?:pbkdf2:sha\d{1,3}:\d{1,9}|scrypt:\d{1,9}:\d{1,3}:\d{1,3})\$[\w./+-]{1,60}+\$"
         r"[0-9a-f]{40,140}", looks_random),
    Rule("password-hash", ("sha}", "sha2", "sha5", "md5}"),
         r"\{S?(?:SHA|MD5)(?:256|384|512)?\}([A-Za-z0-9+/]{20,160}+={0,2})"),
    # One-time passwords.
    Rule("totp-secret", ("otpauth:",),
         r"(?i:otpauth:)//[^\s\"'<>]{0,300}?[?&](?i:secret)=([A-Za-z2-7%]{12,200}+(?:="
         r"|%3D){0,6})"),
    Rule("totp-secret", ("otp", "2fa", "mfa", "authenticator"),
         r"(?i:otp|2fa|mfa|authenticator)[\w -]{0,30}[\"'`]?\s{0,3}(?::|="
         r"|\bis)\s{0,3}[\"'`]?([A-Z2-7]{4}(?:[ -]?[A-Z2-7]{4}){3,15})(?![\w=])", _base32),
    # Sentences.
    Rule("password", ("log in", "login", "logged in", "sign in", "credentials", "creds", "account"),
         r"(?i:\b(?:log(?:ged)? ?in|sign in|credentials?|creds|account)\b[^\n:/]{0,30}?(?::"
         r"|\b(?:with|as|is|are|using|:))\s{1,3})[`'\"]?[\w.@+-]{2,60}+[`'\"]?"
         r"(?:\s{1,2}[/|:,]\s{1,2}|:|\s{1,2}(?:and|with)\s(?:pass"
         r"(?:word)?\s)?)[`'\"]?([^\s`'\"]{6,80}+)", is_password_in_sentence),
    Rule("password", ("pw", "p/w", "passwort", "kennwort"),
         r"(?i:(?<![a-z])(?:pw|passwort|kennwort|p/w))[\"'`]?\s{0,2}(?:[:=]|\b(?:is|was"
         r"|ist))\s{0,3}[\"'`]?([^\s`'\"]{6,80}+)", is_password_in_sentence),
)  # fmt: skip
