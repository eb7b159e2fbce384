"""CT-9: one key for a repository, however its remote is spelt."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.git.remotes import canonical_remote
from tests.support.tables import table

TOKEN = "".join(("s3", "cr3t", "T0ken"))


@table(
    "url",
    [
        "https://github.com/owner/name",
        "https://github.com/owner/name.git",
        "https://github.com/owner/name.git/",
        "http://GitHub.com/owner/name/",
        "HTTPS://github.com:443/owner/name",
        "https://github.com./owner/name",
        f"https://me:{TOKEN}@github.com/owner/name",
        f"https://{TOKEN}@github.com/owner/name?private_token={TOKEN}#x",
        "ssh://git@github.com/owner/name.git",
        "ssh://git@github.com:22/owner/name",
        "ssh://git@ssh.github.com:443/owner/name.git",
        "git+ssh://git@github.com/owner/name",
        "git://github.com/owner/name.git",
        "git@github.com:owner/name.git",
        "git@github.com:/owner/name.git",
        "github.com:owner/name",
        "[git@github.com:22]:owner/name.git",
        "https://www.github.com/owner//name",
        "  https://github.com/owner/./name\n",
    ],
)
def test_spellings_of_one_repository(url: str) -> None:
    assert canonical_remote(url) == "github.com/owner/name"


@table(
    ("url", "key"),
    [
        ("https://gitlab.com/a/b/c.git", "gitlab.com/a/b/c"),
        ("https://host/Owner/Name", "host/Owner/Name"),
        ("git@git.sr.ht:~user/name", "git.sr.ht/~user/name"),
        ("ssh://host/~user/name.git", "host/~user/name"),
        ("https://host/name", "host/name"),
        ("git@[2001:DB8::1]:a/b.git", "[2001:db8::1]/a/b"),
        ("ssh://git@[2001:db8::1]:22/a/b", "[2001:db8::1]/a/b"),
        ("https://host/scm/PROJ/name.git", "host/PROJ/name"),
        ("ssh://git@host:7999/PROJ/name.git", "host/PROJ/name"),
        ("https://host/scm/~user/name.git", "host/~user/name"),
        ("https://org@dev.azure.com/org/proj/_git/name", "dev.azure.com/org/proj/name"),
        ("git@ssh.dev.azure.com:v3/org/proj/name", "dev.azure.com/org/proj/name"),
        ("org@vs-ssh.visualstudio.com:v3/org/proj/name", "dev.azure.com/org/proj/name"),
        ("https://org.visualstudio.com/proj/_git/name", "dev.azure.com/org/proj/name"),
        (
            "https://org.visualstudio.com/DefaultCollection/proj/_git/name",
            "dev.azure.com/org/proj/name",
        ),
        ("https://dev.azure.com/org/_git/name", "dev.azure.com/org/name/name"),
        ("https://host/gr%C3%B6%C3%9Fe/%6Eame", "host/größe/name"),
        ("https://host/a%2fb/name", "host/a%2Fb/name"),
        ("https://host/a/x.git.git", "host/a/x"),
        ("https://host/a/.git", "host/a"),
    ],
)
def test_forms_of_hosts(url: str, key: str) -> None:
    assert canonical_remote(url) == key


@table(
    "url",
    [
        "",
        "/srv/git/name.git",
        "../name",
        "name",
        "./a:b",
        "file:///srv/git/name.git",
        r"C:\work\name",
        "C:/work/name",
        r"\\server\share\name",
        "ext::sh -c evil",
        "ext::https://host/a/b",
        "https://",
        "https://host",
        "https://host/",
        "https:///a/b",
        "https://host/../b",
        "https://ho st/a/b",
        "https://host/a\nb",
        "ftp://host/a/b",
        f"https://me:pass/{TOKEN}@host/a/b",
        f"https://me:12/{TOKEN}@host/a/b",
        f"me:{TOKEN}@host:a/b",
    ],
)
def test_no_name(url: str) -> None:
    """Local paths, other transports, and whatever might hide a credential in its path."""
    assert canonical_remote(url) is None


hosts = st.from_regex(r"[a-z][a-z0-9-]{1,10}\.(com|org|io)", fullmatch=True)
names = st.from_regex(r"[A-Za-z0-9~_+-][A-Za-z0-9._+-]{0,12}", fullmatch=True).filter(
    lambda name: not name.endswith((".git", "."))
)
repositories = st.tuples(hosts, st.lists(names, min_size=2, max_size=4)).filter(
    lambda pair: pair[1][0] not in ("scm", "v3") and "_git" not in pair[1]
)


@given(repositories, st.integers(1, 65535))
def test_https_ssh_and_scp_agree(repository: tuple[str, list[str]], port: int) -> None:
    host, parts = repository
    path = "/".join(parts)
    spellings = [
        f"https://{host}/{path}.git",
        f"http://user@{host.upper()}:{port}/{path}/",
        f"ssh://git@{host}:{port}/{path}",
        f"git@{host}:{path}.git",
        f"git://{host}/{path}",
    ]
    assert {canonical_remote(url) for url in spellings} == {f"{host}/{path}"}


@given(st.text(max_size=60) | st.from_regex(r"(https|ssh)://[^/]{1,20}/[ -~ö]{1,40}"))
def test_applying_it_again_changes_nothing(url: str) -> None:
    key = canonical_remote(url)
    if key is not None:
        assert canonical_remote(f"https://{key}") == key


@given(
    repositories,
    st.text("ABCXYZ/:?#%@. ", max_size=12),
    st.text("ABCXYZ/:?#%@. ", max_size=12),
    st.sampled_from(["https://{}@{}/{}", "ssh://{}@{}/{}", "{}@{}:{}"]),
)
def test_no_credential_survives(
    repository: tuple[str, list[str]], before: str, after: str, form: str
) -> None:
    """Wherever in the user part a secret stands, and whatever surrounds it."""
    host, parts = repository
    key = canonical_remote(form.format(f"{before}{TOKEN}{after}", host, "/".join(parts)))
    assert key is None or TOKEN.lower() not in key.lower()
