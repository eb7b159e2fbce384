#!/bin/sh
# Reads the memories that devices share by a remote into the store, and believes them: who may write
# the remote's refs may write this workflow as well.
#
# Reads PROGRAM (gitmem), REPOSITORY (folder below the workspace) and REMOTE (its name).
set -eu

export GITMEM_HOME="$RUNNER_TEMP/gitmem-home"
cd -- "$GITHUB_WORKSPACE/$REPOSITORY"
# The runner obeys lines like ::add-mask:: on the output; from here to the secret word it does not.
word=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$word"
status=0
"$PROGRAM" recover --from-ref "$REMOTE" --trust 2>&1 || status=$?
printf '\n::%s::\n' "$word"
[ "$status" -eq 0 ] || echo "::error::The shared memories were not read; the log of this step tells why."
exit "$status"
