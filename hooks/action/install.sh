#!/bin/sh
# Installs the gitmem of this very checkout of the action into an environment of its own.
# Reads PYTHON; writes `program` to $GITHUB_OUTPUT.
set -eu

place=$RUNNER_TEMP/gitmem-environment
"$PYTHON" -I -m venv "$place"
bin=$place/bin
[ -d "$bin" ] || bin=$place/Scripts # Windows
# From the checkout and not by name: what is pinned in `uses:` is then all that is trusted of ours.
"$bin/python" -I -m pip install --quiet --disable-pip-version-check "$GITHUB_ACTION_PATH"
"$bin/gitmem" --version
printf 'program=%s\n' "$bin/gitmem" >>"$GITHUB_OUTPUT"
