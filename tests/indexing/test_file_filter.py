"""Which files are read at all, by name and by content (CF-11, CF-12)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.indexing import file_filter
from tests.support.tables import table
from tests.support.timing import seconds

ROW = b"INSERT INTO users VALUES (1, 'x');\n"


def names(text: str) -> list[str]:
    return text.split()


SECRET_FILES = names(
    """
    .env .ENV deploy/.env.production .env-prod prod.env config/app.env prod.env.bak .envrc
    .flaskenv terraform.tfvars prod.auto.tfvars prod.tfvars.json terraform.tfstate
    terraform.tfstate.backup kubeconfig kubeconfig.yaml prod-kubeconfig admin.kubeconfig
    .kube/config service-account.json service_account_prod.json my-service-account-key.json
    x-firebase-adminsdk-ab.json client_secret_123.json credentials credentials.json
    Credentials.XML aws_credentials.csv gcp-credentials-prod.json credentials.yml.enc
    .aws/credentials .aws/config .docker/config.json .netrc _netrc .pgpass .my.cnf .npmrc
    .pypirc .htpasswd .git-credentials .m2/settings.xml .bash_history .zsh_history
    .psql_history .python_history .node_repl_history fish_history .Rhistory keys/id_rsa
    keys/id_ed25519.pub id_ecdsa_work id_rsa.bak .ssh/config tls/server.PEM tls/server.key
    a.p12 a.pfx a.jks a.keystore a.kdbx AuthKey.p8 session.har config/secrets.yml secrets.json
    secrets.dev.yaml app-secrets.yaml secret.toml secrets vault.yml group_vars/all/vault.yml
    .vault_pass .vault-password.txt vault_password passwords.txt wp-config.php
    local.settings.json
    """
)
DUMPS = names(
    """
    dump.sql backup.sql prod_dump.sql db-backup-2024-01-02.sql backup_users.sql pg_dumpall.sql
    x.sql.gz data.pgdump prod.dump dump.rdb prod.sql.zst heap.hprof
    """
)
ORDINARY = names(
    """
    credentials.py secrets.go env.py src/env.ts environment.md .env.example .env.sample
    .env.template .env.dist example.env prod.env.example terraform.tfvars.example
    credentials.example.json wp-config-sample.php vite-env.d.ts kubeconfig.go
    kube_config_test.py service_account.py ServiceAccount.java Service-Account.PHP
    secret_santa.json docs/secrets.md secret-rotation.yml keyboard.py monkey.py key.py keys.lua
    vault.go vault.tf password.ex passwords.rb passwd.c htpasswd.go history.py history.txt
    dump.py dump.lua backup.sh id_generator id_rsa_test.go credentials_test.erl
    credential-store.ts config.json settings.xml docker/config.json aws/config schema.sql
    migrations/0001_init.sql add_backup_column.sql users.sql tokens.json lock.py vendor.py
    build/ci.py .github/ci.yml Makefile main.tf environment.yml
    """
)


def test_files_that_hold_secrets_by_custom_are_refused() -> None:
    assert {path: file_filter.name_refusal_reason(path) for path in SECRET_FILES} == dict.fromkeys(
        SECRET_FILES, "secret"
    )
    assert {path: file_filter.name_refusal_reason(path) for path in DUMPS} == dict.fromkeys(
        DUMPS, "database dump"
    )


def test_programs_and_templates_that_are_called_alike_are_fine() -> None:
    refused = {
        path: reason for path in ORDINARY if (reason := file_filter.name_refusal_reason(path))
    }
    assert refused == {}


def test_a_name_of_any_length_is_judged_quickly() -> None:
    for part in ("a.", "a-", ".env", "secret.", "credentials_", "dump.", ".bak"):
        assert seconds(lambda part=part: file_filter.name_refusal_reason(part * 1000)) < 0.1  # type: ignore[misc]


@table(
    ("path", "reason"),
    [
        ("node_modules/left-pad/index.js", "excluded folder"),
        ("src/vendor/x.go", "excluded folder"),
        (".gitmem/config.toml", "excluded folder"),
        ("package-lock.json", "lock file"),
        ("sub/Cargo.lock", "lock file"),
        ("logo.PNG", "binary"),
        ("app.min.js", "binary"),
        ("data.sqlite3", "binary"),
    ],
)
def test_a_name_that_is_refused(path: str, reason: str) -> None:
    assert file_filter.name_refusal_reason(path) == reason


def test_build_output_counts_only_where_it_is_tracked() -> None:
    assert file_filter.name_refusal_reason("build/x.py", is_tracked=True) == ""
    assert file_filter.name_refusal_reason("build/x.py", is_tracked=False) == "excluded folder"


@table(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b" \n\t\n", "empty"),
        (b"\x7fELF\0\0\0", "binary"),
        (b"x" * 200_000, "minified"),
        (b"x" * 5_001 + b"\n" + b"y = 1\n" * 800, "minified"),
        (b"x" * 5_001 + b"\n" + b"y = 1\n" * 900, ""),
        (b"x" * 5_001 + b"\n" + b"z" * 5_001 + b"\n" + b"y = 1\n" * 1_600, "minified"),
        (b"x" * 20_001 + b"\n" + b"y = 1\n" * 9_000, "minified"),
        (b"x = 1\n" * 200_000, "too large"),
        (b"x" * 5_000_000, "too large"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "lfs pointer"),
        (("x" * 200_000).encode("utf-16"), "minified"),
        (b"-- MySQL dump 10.13  Distrib 8.0\n\n" + ROW, "database dump"),
        (b"--\n-- PostgreSQL database dump\n--\n" + ROW, "database dump"),
        (b"PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n" + ROW, "database dump"),
        (ROW.lower() * 50, "database dump"),
        (ROW * 49, ""),
        (ROW * 50 + b"-- why\n" * 50, ""),
        (b"# dump.py: writes a MySQL dump\n", ""),
        (b"x = 1\n", ""),
        (b"caf\xe9\n", ""),
        ("größe = 1\n".encode("utf-16"), ""),
        ("größe = 1\n".encode("utf-8-sig"), ""),
        (b"a\r\nb\r\n", ""),
    ],
)
def test_content(data: bytes, reason: str) -> None:
    assert file_filter.content_refusal_reason(data) == reason


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_text_comes_out_whole_whatever_it_was_written_in(encoding: str) -> None:
    mark = b"\xff\xfe" if encoding == "utf-16-le" else b""
    assert file_filter.decode_text(mark + "größe\r\n中\r\n".encode(encoding)) == "größe\n中\n"


def test_bytes_that_are_no_text_do_not_stop_the_rest() -> None:
    assert file_filter.decode_text(b"caf\xe9 = 1\n\0x") == "caf\ufffd = 1\nx"


@given(st.binary(max_size=400))
def test_whatever_is_decoded_can_be_stored(data: bytes) -> None:
    for marked in (data, b"\xff\xfe" + data, b"\xfe\xff" + data):
        text = file_filter.decode_text(marked)
        assert text.encode("utf-8").decode("utf-8") == text
        assert "\r" not in text and "\0" not in text


def test_logs_count_only_where_they_are_tracked() -> None:
    """ML-11 and ML-43."""
    assert file_filter.name_refusal_reason("logs/app.LOG", is_tracked=False) == "log"
    assert file_filter.name_refusal_reason("tests/data/app.log", is_tracked=True) == ""
    assert file_filter.name_refusal_reason("src/catalog", is_tracked=False) == ""


def test_a_paragraph_in_one_line_is_not_minified() -> None:
    """CC-1: notes are seldom wrapped."""
    note = b"# A\n\n" + b"some words " * 3_000
    assert file_filter.content_refusal_reason(note) == "minified"
    assert file_filter.content_refusal_reason(note, is_prose=True) == ""
    assert (
        file_filter.content_refusal_reason(b"![](data:" + b"x" * 30_000 + b")", is_prose=True)
        == "minified"
    )
