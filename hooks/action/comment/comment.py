"""Posts or updates the one comment of a pull request, from the artifact of a run of strangers.

Nothing in the artifact is believed: its size is limited, nothing of it is unpacked to files, the
pull request that it names must have the very head that the run was for, and `gitmem pr --saved`
writes the text anew. Reads GITHUB_TOKEN, GITHUB_API_URL, GITHUB_REPOSITORY, RUN_ID, HEAD_SHA and
PROGRAM (gitmem).
"""

import io
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile

MARK = "<!-- gitmem pull request -->"
AUTHOR = "github-actions[bot]"
LARGEST = 1 << 20
MOST_PAGES = 20
FORMS = {
    "RUN_ID": r"[0-9]{1,20}",
    "HEAD_SHA": r"[0-9a-f]{40}",
    "GITHUB_REPOSITORY": r"[\w.-]+/[\w.-]+",
}


class Refused(Exception):
    """Why nothing is posted, in a sentence."""


class _WithoutToken(urllib.request.HTTPRedirectHandler):
    """Follows to where artifacts lie, which is not to get the token."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):
        new = super().redirect_request(req, fp, code, msg, headers, newurl)
        if new is not None:
            new.remove_header("Authorization")
        return new


_OPENER = urllib.request.build_opener(_WithoutToken)


def call(path, method="GET", body=None):
    """The bytes that the API answers; more than LARGEST are refused."""
    request = urllib.request.Request(
        f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}/{path}",
        data=None if body is None else json.dumps({"body": body}).encode(),
        method=method,
        headers={
            "Authorization": f"Bearer {os.environ['GITHUB_TOKEN']}",
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
        },
    )
    with _OPENER.open(request, timeout=60) as answer:
        data = answer.read(8 * LARGEST + 1)
    if len(data) > 8 * LARGEST:
        raise Refused("An answer is too large.")
    return data


def artifact():
    """The files of the run's artifact, by name."""
    known = json.loads(call(f"actions/runs/{os.environ['RUN_ID']}/artifacts?name=gitmem-pr"))
    found = [
        each for each in known["artifacts"] if each["name"] == "gitmem-pr" and not each["expired"]
    ]
    if not found:
        raise Refused("The run has no artifact gitmem-pr.")
    if found[0]["size_in_bytes"] > LARGEST:
        raise Refused("The artifact is too large.")
    data = call(f"actions/artifacts/{int(found[0]['id'])}/zip")
    files = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in ("number", "pr.json"):
                with archive.open(name) as file:
                    files[name] = file.read(LARGEST + 1)
    except (
        zipfile.BadZipFile,
        KeyError,
        NotImplementedError,
        RuntimeError,
        OSError,
        EOFError,
    ) as error:
        raise Refused("The artifact cannot be read.") from error
    if any(len(content) > LARGEST for content in files.values()):
        raise Refused("A file of the artifact is too large.")
    return files


def checked_number(text):
    """The number of the pull request, whose head the run was for."""
    if not re.fullmatch(rb"[0-9]{1,9}\n?", text):
        raise Refused("The artifact names no pull request.")
    number = int(text)
    pull = json.loads(call(f"pulls/{number}"))
    if pull["state"] != "open" or pull["head"]["sha"] != os.environ["HEAD_SHA"]:
        raise Refused(
            "The run was not for the present head of an open pull request of that number."
        )
    return number


def comment_text(data):
    """The comment, written anew from the data."""
    server, repository = os.environ["GITHUB_SERVER_URL"], os.environ["GITHUB_REPOSITORY"]
    link = f"{server}/{repository}/actions/runs/{os.environ['RUN_ID']}"
    with tempfile.TemporaryDirectory() as folder:
        saved = os.path.join(folder, "pr.json")
        with open(saved, "wb") as file:
            file.write(data)
        command = [os.environ["PROGRAM"], "pr", "--saved", saved, "--link", link]
        env = {name: value for name, value in os.environ.items() if name != "GITHUB_TOKEN"}
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, timeout=120)
    if done.returncode:
        raise Refused("The artifact's data is no result of gitmem.")
    return f"{MARK}\n{done.stdout.decode()}"


def own_comment(number):
    """The id of the comment that was posted before, or None."""
    for page in range(1, MOST_PAGES + 1):
        comments = json.loads(call(f"issues/{number}/comments?per_page=100&page={page}"))
        for each in comments:
            if each["user"]["login"] == AUTHOR and each["body"].startswith(MARK):
                return int(each["id"])
        if len(comments) < 100:
            break
    return None


def main():
    """Post or update the comment; a refusal is printed, and fails no job."""
    try:
        for name, form in FORMS.items():
            if not re.fullmatch(form, os.environ[name]):
                raise Refused(f"{name} has an unexpected form.")
        files = artifact()
        number = checked_number(files["number"])
        text = comment_text(files["pr.json"])
        known = own_comment(number)
        if known is None:
            call(f"issues/{number}/comments", "POST", text)
        else:
            call(f"issues/comments/{known}", "PATCH", text)
        print(
            f"The comment of pull request {number} was {'posted' if known is None else 'updated'}."
        )
    except Refused as reason:
        print(f"No comment was posted. {reason}")
    except (urllib.error.URLError, ValueError, KeyError, TypeError) as error:
        print(
            f"No comment was posted: the API's answer was not understood ({type(error).__name__})."
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
