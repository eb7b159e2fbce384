#!/bin/sh
# Writes the report on the project as one page, for the step that attaches it to the run.
#
# Reads PROGRAM, REPOSITORY (folder below the workspace) and SINCE; writes `file` to $GITHUB_OUTPUT.
set -eu

cd -- "$GITHUB_WORKSPACE/$REPOSITORY"
file=$RUNNER_TEMP/gitmem-report/report.html
mkdir -p "$RUNNER_TEMP/gitmem-report"
# The runner obeys lines like ::add-mask:: on the output; from here to the secret word it does not.
word=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$word"
status=0
GITMEM_HOME="$RUNNER_TEMP/gitmem-home" "$PROGRAM" report --html "$file" --force "--since=$SINCE" 2>&1 || status=$?
printf '\n::%s::\n' "$word"
[ "$status" -eq 0 ] || exit "$status"
printf 'file=%s\n' "$file" >>"$GITHUB_OUTPUT"
