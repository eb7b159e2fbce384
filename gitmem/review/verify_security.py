"""Insecure code on changed lines: what a request sends reaches a dangerous call, and few others.

A value counts as a request's if it is one in the same function, or was assigned from one there, and
nothing that looks like a check or an escape stands between. Files of tests are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gitmem.indexing.syntax import code_facts
from gitmem.indexing.syntax.code_facts import CodeFact
from gitmem.model.frozen import dataclass
from gitmem.model.review_finding import ERROR, NOTE, WARNING, ReviewFinding
from gitmem.patterns import name_match
from gitmem.review import verify_regex
from gitmem.review.reviewed_diff import ReviewedFile
from gitmem.review.verify_imports import SAMPLES
from gitmem.search import file_kinds

_JS = ("javascript", "typescript")
_NODES = {
    "python": ("assignment", "keyword_argument"),
    **dict.fromkeys(_JS, ("variable_declarator", "assignment_expression", "regex", "pair")),
    "go": ("short_var_declaration", "assignment_statement"),
    "php": ("assignment_expression", "echo_statement"),
    "java": ("variable_declarator", "assignment_expression"),
}
_SOURCES = {
    "python": r"\brequest\."
    r"(?:args|form|values|GET|POST|COOKIES|query_params|get_json|json|match_info)\b",
    "javascript": r"\b(?:req|request|ctx|ctx\.request)\.(?:query|params|body|cookies)\b"
    r"|\blocation\.(?:search|hash)\b|\bdocument\.(?:URL|referrer)\b|\bqueryStringParameters\b",
    "go": r"\.(?:FormValue|PostFormValue)\(|\.URL\.Query\(\)|\bc\.(?:Query|Param|PostForm)\(",
    "php": r"\$_(?:GET|POST|REQUEST|COOKIE)\b",
    "java": r"\.getParameter\(|\.getQueryString\(",
}
_SOURCES["typescript"] = _SOURCES["javascript"]
_READ = {language: re.compile(source) for language, source in _SOURCES.items()}
_SAFE = re.compile(
    r"\b(?:int|float|bool|len|UUID|Number|Boolean|parseInt|parseFloat|Atoi|ParseInt|intval|strconv)\b"
    r"|(?i:escap|quot[ei]|encodeuri|saniti[sz]|purify|basename|secure_filename|safe|clean|valid|"
    r"allow|white_?list|permitted|normali[sz]e|includes\(|\bhas\(|contains\(|realpath|url_for)"
)
# What a value may flow into: the rule and its CWE, the language, and the calls.
_SINKS = """\
command-injection CWE-78 python os.system os.popen subprocess.getoutput subprocess.getstatusoutput
command-injection CWE-78 javascript child_process.exec child_process.execSync exec execSync
command-injection CWE-78 php system exec shell_exec passthru popen proc_open
path-traversal CWE-22 python open send_file os.remove os.unlink shutil.rmtree
path-traversal CWE-22 javascript fs.readFile fs.readFileSync fs.createReadStream fs.writeFile
path-traversal CWE-22 javascript fs.writeFileSync fs.unlink fs.unlinkSync fs.rm .download
path-traversal CWE-22 php readfile file_get_contents fopen unlink
path-traversal CWE-22 go os.Open os.ReadFile os.Remove os.Create ioutil.ReadFile
ssrf CWE-918 python requests.get requests.post requests.request urllib.request.urlopen httpx.get
ssrf CWE-918 javascript fetch axios axios.get axios.post http.get https.get got
ssrf CWE-918 go http.Get http.Post
open-redirect CWE-601 python redirect HttpResponseRedirect RedirectResponse
open-redirect CWE-601 javascript res.redirect response.redirect ctx.redirect window.open
open-redirect CWE-601 java .sendRedirect
sql-injection CWE-89 python .execute .executescript .raw
sql-injection CWE-89 javascript .query .execute .raw
sql-injection CWE-89 go .Query .QueryRow .Exec
sql-injection CWE-89 php mysqli_query .query
sql-injection CWE-89 java .executeQuery .executeUpdate
xss CWE-79 python Markup mark_safe
xss CWE-79 javascript document.write .insertAdjacentHTML
eval CWE-95 python eval exec render_template_string
eval CWE-95 javascript eval vm.runInNewContext vm.runInThisContext
eval CWE-95 php eval assert
deserialization CWE-502 python pickle.loads marshal.loads yaml.load yaml.unsafe_load
deserialization CWE-502 php unserialize
redos CWE-1333 python re.compile re.match re.search re.fullmatch re.sub re.findall
prototype-pollution CWE-1321 javascript _.merge lodash.merge _.defaultsDeep _.set lodash.set
"""
# Assignments that do the same: the rule, its CWE, the languages, what is assigned to.
_TARGETS = (
    ("xss", "CWE-79", _JS, re.compile(r"[\w$.)\]]+\.(?:inner|outer)HTML\s*\+?=(?!=)")),
    ("xss", "CWE-79", ("php",), re.compile(r"echo\b")),
    ("open-redirect", "CWE-601", _JS, re.compile(r"(?:window\.)?location(?:\.href)?\s*=(?!=)")),
    ("prototype-pollution", "CWE-1321", _JS, re.compile(r"[\w$.]+\[(?=[^\]]*\]\[).*?\]\s*=(?!=)")),
)
FLOWS = {
    "command-injection": "a command is made of",
    "path-traversal": "a file is named by",
    "ssrf": "a request goes to the address in",
    "open-redirect": "the browser is sent to the address in",
    "sql-injection": "SQL is made of",
    "xss": "HTML is made of",
    "eval": "code is made of",
    "deserialization": "objects are made of",
    "redos": "a regular expression is made of",
    "prototype-pollution": "keys of objects are taken from",
}
# A value behind a host, or a path of this host, leads nowhere else.
_PLACED = frozenset({"ssrf", "open-redirect"})
_ROOTED = re.compile(r"^\s*[fF]?[\"'`](?:/[\w-]|https?://[\w.:-]+/)")
_ERRORS = frozenset({"command-injection", "sql-injection", "eval", "deserialization"})


@dataclass(frozen=True, slots=True)
class InsecureCodeRule:
    """A rule against insecure code: calls of ``names`` whose arguments match ``text``.

    Without names, ``text`` is matched with syntax nodes. ``rule`` is its id, ``level`` that of its
    findings.
    """

    rule: str
    cwe: str
    level: str
    languages: tuple[str, ...]
    names: tuple[str, ...]
    text: re.Pattern[str]
    message: str


_VALUE = r"(?:=|\bLIKE|\bVALUES\s*\(|\bIN\s*\()\s*'?\"?%?"
_VERB = r"\b(?:SELECT|INSERT|UPDATE|DELETE|select|insert|update|delete)\b"
_SQL = "SQL is put together from values: give them as parameters"
_SECRET = r"(?i:token|secret|passw(?:or)?d|nonce|salt|\botp|session_?id|api_?key|csrf)"
SHAPES = (
    InsecureCodeRule("sql-injection", "CWE-89", WARNING, ("python",),
          (".execute", ".executescript", ".raw"),
          re.compile(rf"^\(\s*f[\"']+[^;]*?{_VERB}[^;]*?{_VALUE}\{{(?![A-Z_]+\}})"
                     rf"|^\(\s*[\"']+[^;]*?{_VERB}[^;]*?{_VALUE}(?:%s'?[\"']+\s*%|[\"']+\s*\+\s*\w)"),
          _SQL),
    InsecureCodeRule("sql-injection", "CWE-89", WARNING, _JS, (".query", ".execute", ".raw"),
          re.compile(rf"^\(\s*`[^`]*?{_VERB}[^`]*?{_VALUE}\$\{{(?![A-Z_]+\}})"
                     rf"|^\(\s*[\"'][^`]*?{_VERB}[^`]*?{_VALUE}[\"']\s*\+\s*\w"), _SQL),
    InsecureCodeRule("sql-injection", "CWE-89", WARNING, ("go", "java"),
          (".Query", ".QueryRow", ".Exec", ".executeQuery", ".executeUpdate"),
          re.compile(rf"fmt\.Sprintf\(\s*[\"`][^;]*?{_VERB}[^;]*?=\s*'%[sv]'"
                     rf"|^\(\s*\"[^;]*?{_VERB}[^;]*?{_VALUE}\"\s*\+\s*\w"), _SQL),
    InsecureCodeRule("command-injection", "CWE-78", NOTE, ("python",),
          ("subprocess.run", "subprocess.call", "subprocess.check_output", "subprocess.Popen",
           "subprocess.check_call"),
          re.compile(r"^\(\s*f[\"'][^\n]*\{[^\n]*shell\s*=\s*True"),
          "A shell reads a command with values in it: give a list of arguments"),
    InsecureCodeRule("weak-hash", "CWE-328", WARNING, ("python",), ("hashlib.md5", "hashlib.sha1"),
          re.compile(r"(?i:passw(?:or)?d)(?!.*usedforsecurity)"),
          "A password is hashed by a weak, fast function: use hashlib.scrypt or argon2"),
    InsecureCodeRule("weak-cipher", "CWE-327", WARNING, ("python", *_JS, "go", "java"),
          ("DES.new", "DES3.new", "ARC4.new", "crypto.createCipher", "des.NewCipher",
           "rc4.NewCipher"), re.compile(""), "This cipher is broken: use AES-GCM or ChaCha20"),
    InsecureCodeRule("weak-cipher", "CWE-327", WARNING, (*_JS, "java"),
          ("crypto.createCipheriv", "createCipheriv", "Cipher.getInstance"),
          re.compile(r"^\(\s*[\"'](?:(?i:des|rc4|bf|rc2)\b|\w+[-/](?:128-|256-)?(?i:ecb))"),
          "This cipher is broken: use AES-GCM or ChaCha20"),
    InsecureCodeRule("weak-random", "CWE-330", WARNING, ("python", *_JS, "go", "php", "java"), (),
          re.compile(rf"^[\w$.\s:]*{_SECRET}\w*\s*(?::[^=]+)?(?::=|=)[^=].*"
                     r"\b(?:random\.(?:random|choice|choices|randint|sample|randrange)|Math\.random"
                     r"|rand\.(?:Intn|Int|Read)|mt_rand)\(", re.DOTALL),
          "A secret comes from a predictable generator: use one for cryptography"),
    InsecureCodeRule("prototype-pollution", "CWE-1321", WARNING, _JS, (),
          re.compile(r"^[\w$.]+\[[\"'`]__proto__[\"'`]\]\s*(?:\[|\.|=(?!=))|^[\w$.]+\.__proto__\.\w+\s*=(?!=)"),
          "The prototype of all objects is written"),
    InsecureCodeRule("xss", "CWE-79", WARNING, ("python",), ("Markup", "mark_safe"),
          re.compile(r"^\(\s*(?:f[\"'][^)]*\{|[\"'][^)]*[\"']\s*(?:%|\+|\.format\())"),
          "HTML is put together from values that are not escaped"),
    InsecureCodeRule("deserialization", "CWE-502", WARNING, ("python",), ("yaml.load",),
          re.compile(r"^\((?!.*Loader)", re.DOTALL),
          "yaml.load without a Loader makes any object: use yaml.safe_load"),
)  # fmt: skip
_ASSIGNED = re.compile(
    r"^\s*(?:const |let |var )?(?:\$?([A-Za-z_][\w$]*)|[{[]([^}\]=]*)[}\]])(?:\s*,\s*\w+)*\s*"
    r"(?::[^=]+?)?(?::=|=)(?![=>])\s*(.*)$", re.DOTALL,
)  # fmt: skip
_STRING = re.compile(
    r"([fF][rR]?|[rR][fF])?(\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)", re.DOTALL
)
_HOLES = re.compile(r"\$?\{([^{}]*)\}")
_OPEN, _CLOSED = "([{", ")]}"


def find_insecure_code(file: ReviewedFile) -> Iterator[ReviewFinding]:
    """Yield a finding for each insecure piece of code on the changed lines of a file."""
    nodes = _NODES.get(file.language)
    if not nodes or file.new is None or not file.added_ranges:
        return
    if SAMPLES.search(file.path) or file_kinds.is_test_path(file.path):
        return
    read = code_facts.read_code_facts(file.language, file.path, file.new, frozenset(nodes))
    if read is None:
        return
    reported: set[tuple[str, int]] = set()
    for finding in _findings(file, read.facts, nodes):
        if file.is_added_line(finding.line) and (finding.rule, finding.line) not in reported:
            reported.add((finding.rule, finding.line))
            yield finding


def _findings(
    file: ReviewedFile, facts: Sequence[CodeFact], nodes: Sequence[str]
) -> Iterator[ReviewFinding]:
    yield from _flows(file, facts, nodes)
    for fact in facts:
        for shape in SHAPES:
            if file.language in shape.languages and _has_shape(shape, fact, nodes):
                rule = f"security/{shape.rule}"
                yield ReviewFinding(
                    rule, shape.level, file.path, fact.line, shape.message, cwe=shape.cwe
                )
        for text, whole in verify_regex.regexes_in_call(file.language, fact):
            if why := verify_regex.why_regex_is_exponential(text, full_match=whole):
                yield ReviewFinding("security/redos", WARNING, file.path, fact.line,
                                    f"This expression may take exponential time: {why}",
                                    cwe="CWE-1333")  # fmt: skip


def _has_shape(shape: InsecureCodeRule, fact: CodeFact, nodes: Sequence[str]) -> bool:
    if not shape.names:
        return fact.kind in nodes and shape.text.search(fact.text) is not None
    called = fact.kind == "call" and _calls(shape.names, fact)
    return called and shape.text.search(fact.text) is not None


def _calls(names: Sequence[str], fact: CodeFact) -> bool:
    ends = fact.path[-1], fact.full[-1]
    likely = (name for name in names if name.rpartition(".")[2] in ends)
    return any(
        name_match.is_call_of_name(name_match.parse_name_in_rule(name), fact) for name in likely
    )


# --- what flows where ---------------------------------------------------------------------------


def _flows(
    file: ReviewedFile, facts: Sequence[CodeFact], nodes: Sequence[str]
) -> Iterator[ReviewFinding]:
    language = "javascript" if file.language == "typescript" else file.language
    source = _READ[language]
    if not source.search("\n".join(file.new_lines)):
        return
    rows = [row.split() for row in _SINKS.splitlines()]
    sinks = [(row[0], row[1], row[3:]) for row in rows if row[2] == language]
    tainted: dict[int, dict[str, int]] = {}  # function -> name -> the line where it was assigned
    for fact in facts:
        names = tainted.setdefault(fact.function, {})
        if fact.kind in nodes:
            for rule, cwe, languages, target in _TARGETS:
                match = target.match(fact.text) if file.language in languages else None
                if match and (why := _why(source, names, fact.text[match.end() :], language)):
                    yield _flow(file, fact.line, rule, cwe, why)
            _assign(source, names, fact, language)
        elif fact.kind == "call":
            if _SAFE.search(".".join(fact.path)):  # a check of a value clears it
                for name in [each for each in names if each in fact.text]:
                    del names[name]
            for rule, cwe, calls in sinks:
                every = rule == "prototype-pollution" or language == "php"
                given = fact.text if every else _first(fact.text)
                if _ROOTED.search(given if rule in _PLACED else "") or "root:" in fact.text:
                    continue
                if _calls(calls, fact) and (why := _why(source, names, given, language)):
                    yield _flow(file, fact.line, rule, cwe, why)


def _flow(file: ReviewedFile, line: int, rule: str, cwe: str, why: str) -> ReviewFinding:
    level = ERROR if rule in _ERRORS else WARNING
    message = f"Unchecked, {FLOWS[rule]} {why}"
    return ReviewFinding(f"security/{rule}", level, file.path, line, message, cwe=cwe)


def _assign(source: re.Pattern[str], names: dict[str, int], fact: CodeFact, language: str) -> None:
    match = _ASSIGNED.match(fact.text)
    if match is None:
        return
    taken = [match[1]] if match[1] else re.findall(r"[A-Za-z_$][\w$]*", match[2] or "")
    for name in taken:
        names.pop(name, None)
        if _why(source, names, match[3], language):
            names[name] = fact.line


def _why(source: re.Pattern[str], names: dict[str, int], code: str, language: str) -> str:
    """What of a request stands in a piece of code; empty if nothing does."""
    bare = code if language == "php" else _STRING.sub(_holes, code)
    if _SAFE.search(bare):
        return ""
    if match := source.search(bare):
        return f"what a request sends ({match[0].strip('.(')})"
    for name, line in names.items():
        before = r"\$" if language == "php" else r"(?<![\w$.])"
        if re.search(rf"{before}{re.escape(name)}(?![\w$])", bare):
            return f"{name[:40]}, which a request sends (line {line})"
    return ""


def _holes(match: re.Match[str]) -> str:
    """Of a string only the expressions in it."""
    if match[1] or match[2].startswith("`"):
        return " ".join(_HOLES.findall(match[2]))
    return '""'


def _first(arguments: str) -> str:
    """The first of some arguments in parentheses."""
    depth, quote = 0, ""
    for at, char in enumerate(arguments):
        if quote:
            quote = "" if char == quote and arguments[at - 1] != "\\" else quote
        elif char in "\"'`":
            quote = char
        elif char in _OPEN:
            depth += 1
        elif char in _CLOSED:
            depth -= 1
        elif char == "," and depth == 1:
            return arguments[1:at]
    return arguments[1:]
