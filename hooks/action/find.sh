#!/bin/sh
# Finds what is there already: this version of gitmem, or a Python that can install it.
# Writes `program` or `python` to $GITHUB_OUTPUT, or neither.
set -eu

version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' "$GITHUB_ACTION_PATH/gitmem/__init__.py")

# Another program may have the name, and even the version: the help speaks of a file of ours.
if [ "$(gitmem --version 2>/dev/null)" = "gitmem $version" ] &&
    gitmem index --help 2>/dev/null | grep -q '\.gitmemignore'; then
    echo "gitmem $version is installed already."
    printf 'program=%s\n' "$(command -v gitmem)" >>"$GITHUB_OUTPUT"
    exit 0
fi
# -I: the repository's own files are not taken for Python's modules.
suits='import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))'
for name in python3 python; do
    if "$name" -I -c "$suits" 2>/dev/null; then
        echo "gitmem $version will be installed with $("$name" -I --version)."
        printf 'python=%s\n' "$(command -v "$name")" >>"$GITHUB_OUTPUT"
        exit 0
    fi
done
echo "There is no Python 3.11 or later here: it will be set up."
