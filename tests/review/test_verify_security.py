"""Secrets and insecure code on changed lines, and code that only looks like it (ML-25)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.git.diff import PathChange
from gitmem.git.lines.patch import Hunk
from gitmem.model.review_finding import ReviewFinding
from gitmem.review import verify, verify_regex
from gitmem.review.reviewed_diff import ReviewedFile

FLASK = (
    "from flask import request, redirect, send_file\n"
    "import os, hashlib, random, re, yaml\n\n\n"
    "def f():\n"
)


def findings(path: str, text: str) -> list[ReviewFinding]:
    file = ReviewedFile(
        PathChange("A", "", path), (Hunk((1, 0), (1, 1 << 31)),), None, text.encode()
    )
    return list(verify.find_code_problems([file]))


def found(path: str, text: str) -> list[str]:
    return [f"{each.rule} {each.cwe}" for each in findings(path, text)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('os.system("ls " + request.args["n"])', "security/command-injection CWE-78"),
        ('n = request.args["n"]; os.system(f"ls {n}")', "security/command-injection CWE-78"),
        ('n = int(request.args["n"]); os.system(f"ls {n}")', ""),
        ('n = request.args["n"]; check_valid(n); os.system(f"ls {n}")', ""),
        ('os.system("ls -l")', ""),
        ('n = request.args["n"]; os.system("ls n")', ""),
        ('open(request.form["p"])', "security/path-traversal CWE-22"),
        ('open(secure_filename(request.form["p"]))', ""),
        ('return redirect(request.args.get("next"))', "security/open-redirect CWE-601"),
        ('return redirect(f"/user/{request.args[\'n\']}")', ""),
        ('requests.get(request.args["url"])', "security/ssrf CWE-918"),
        ('requests.get(f"https://api.example.org/{request.args[\'n\']}")', ""),
        ('eval(request.json["x"])', "security/eval CWE-95"),
        ('n = request.args["n"]; c.execute("SELECT * FROM t WHERE a = " + n)',
         "security/sql-injection CWE-89"),
        ('c.execute("SELECT * FROM t WHERE a = ?", (request.args["n"],))', ""),
        ('c.execute(f"SELECT * FROM t WHERE a = \'{x}\'")', "security/sql-injection CWE-89"),
        ('c.execute(f"SELECT * FROM {table} WHERE a = ?", (x,))', ""),
        ('c.execute("SELECT * FROM t WHERE a = \'%s\'" % x)', "security/sql-injection CWE-89"),
        ('re.compile(request.args["q"])', "security/redos CWE-1333"),
        ('re.compile(r"^(a+)+$")', "security/redos CWE-1333"),
        ('re.compile(r"^(ab)+$")', ""),
        ("hashlib.md5(password.encode())", "security/weak-hash CWE-328"),
        ("hashlib.md5(data)", ""),
        ("token = random.choice(letters)", "security/weak-random CWE-330"),
        ("colour = random.choice(colours)", ""),
        ("yaml.load(text)", "security/deserialization CWE-502"),
        ("yaml.load(text, Loader=yaml.SafeLoader)", ""),
        ('from markupsafe import Markup; Markup(f"<b>{x}</b>")', "security/xss CWE-79"),
        ('password = "hunter2-Xk93jd!"', "secret/password CWE-798"),
        ('password = f"{one}{two}"', ""),
    ],
)  # fmt: skip
def test_code_of_python(line: str, expected: str) -> None:
    assert found("src/app.py", FLASK + f"    {line}\n") == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("cp.exec(`ls ${req.query.n}`)", "security/command-injection CWE-78"),
        ("const { n } = req.body; cp.execSync('ls ' + n)", "security/command-injection CWE-78"),
        ("cp.exec('ls')", ""),
        ("/a/.exec(req.query.n)", ""),
        ("el.innerHTML = location.hash", "security/xss CWE-79"),
        ("el.innerHTML = DOMPurify.sanitize(location.hash)", ""),
        ("el.innerHTML = '<b></b>'", ""),
        ("res.redirect(req.query.next)", "security/open-redirect CWE-601"),
        ("res.redirect('/user/' + req.params.id)", ""),
        ("fs.readFile(req.params.name, done)", "security/path-traversal CWE-22"),
        ("res.download(req.params.name, { root: DIR })", ""),
        ("fetch(req.query.url)", "security/ssrf CWE-918"),
        ("eval(req.body.code)", "security/eval CWE-95"),
        ("_.merge(settings, req.body)", "security/prototype-pollution CWE-1321"),
        ("o['__proto__'].admin = true", "security/prototype-pollution CWE-1321"),
        ("db.query(`SELECT * FROM t WHERE a = ${x}`)", "security/sql-injection CWE-89"),
        ("db.query('SELECT * FROM t WHERE a = ?', [req.query.n])", ""),
        ("const token = Math.random().toString(36)", "security/weak-random CWE-330"),
        ("crypto.createCipheriv('des-ecb', key, '')", "security/weak-cipher CWE-327"),
        ("const r = /^(\\w+\\s?)*$/", "security/redos CWE-1333"),
    ],
)  # fmt: skip
def test_code_of_javascript(line: str, expected: str) -> None:
    text = f"const cp = require('child_process');\napp.get('/', (req, res) => {{\n  {line};\n}});\n"
    assert found("src/app.js", text) == ([expected] if expected else [])
    assert found("src/app.ts", text) == ([expected] if expected else [])


def test_code_of_php_go_and_java() -> None:
    php = "<?php\n$id = $_GET['id'];\n"
    php += "mysqli_query($db, \"SELECT * FROM t WHERE a = $id\");\necho $_GET['x'];\n"
    assert found("src/a.php", php) == ["security/sql-injection CWE-89", "security/xss CWE-79"]
    go = (
        'package a\nfunc f(r *http.Request) {\n\tn := r.FormValue("n")\n\tos.ReadFile(n)\n'
        "\tdb.Query(fmt.Sprintf(\"SELECT * FROM t WHERE a = '%s'\", x))\n}\n"
    )
    assert found("src/a.go", go) == [
        "security/path-traversal CWE-22",
        "security/sql-injection CWE-89",
    ]


def test_tests_and_samples_may_be_insecure_and_hold_secrets() -> None:
    text = FLASK + '    os.system(request.args["n"])\n    password = "hunter2-Xk93jd!"\n'
    assert found("tests/test_app.py", text) == ["secret/password CWE-798"]
    assert [each.level for each in findings("tests/test_app.py", text)] == ["note"]


def test_a_secret_is_never_shown() -> None:
    key = "AKIA" + "Q3XZ7PLMNBVC5TRE"
    shown = findings("src/app.py", f'key = "{key}"\n')
    assert shown and shown[0].level in ("error", "warning")
    assert not any(key in each.message for each in shown)


@pytest.mark.parametrize(
    ("text", "endless"),
    [
        (r"^(a+)+$", True), (r"(\w+\s?)*!", True), (r"(x*)*y", True), (r"((a+))+b", True),
        (r"^(?:a+b?)+$", True), (r"(?:a|b+)*c", True), (r"(a+)+", False), (r"^(\d+\.)+\d$", False),
        (r"([\w-]+\.)+com", False), (r"(ab+)*c", False), (r"a+b+", False), (r"(a{1,3})+b", False),
        (r"(", False), (r"(?<name>a+)+", False),
    ],
)  # fmt: skip
def test_expressions_that_may_not_end(text: str, endless: bool) -> None:
    assert bool(verify_regex.why_regex_is_exponential(text)) is endless


@given(st.text(alphabet="ab()*+?|[]{}\\w.^$,1:", max_size=60))
def test_any_expression_is_judged_without_running_it(text: str) -> None:
    verify_regex.why_regex_is_exponential(text)
    verify_regex.why_regex_is_exponential(text, full_match=True)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000,
        "x = " + "[" * 3000,
        'c.execute(f"' + "SELECT = " * 5000 + '")',
        "request.args " + "a = b; " * 5000,
        "token = " + "'\\" * 4000,
        "re.compile(r'" + "(a+)+" * 900 + "')",
        "\0\xff" * 2000,
    ],
)
@pytest.mark.parametrize("path", ["a.py", "a.js", "a.php", "a.go", "a.java"])
def test_hostile_code_is_read_in_bounded_time(path: str, text: str) -> None:
    begin = time.process_time()
    findings(path, text)
    assert time.process_time() - begin < 20


@given(st.text(max_size=200), st.sampled_from(["a.py", "a.ts", "a.php", "a.go", "a.java", "a.xyz"]))
def test_any_code_is_read(text: str, path: str) -> None:
    for each in findings(path, f"def f():\n    x = request.args[{text}]\n    open(x)\n{text}"):
        assert each.path == path and each.line >= 1 and "\n" not in each.message
