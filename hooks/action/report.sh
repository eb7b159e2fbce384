#!/bin/sh
# Writes the report on the project as one page, for the step that attaches it to the run.
#
# Reads PROGRAM, REPOSITORY (folder below the workspace) and SINCE; writes `file` to $GITHUB_OUTPUT.
set -eu

cd -- "$GITHUB_WORKSPACE/$REPOSITORY"
file=$RUNNER_TEMP/gitmem-report/report.html
mkdir -p "$RUNNER_TEMP/gitmem-report"
# shellcheck source=hooks/action/quoted.sh
. "$GITHUB_ACTION_PATH/hooks/action/quoted.sh"
export GITMEM_HOME="$RUNNER_TEMP/gitmem-home"
quoted "$PROGRAM" report --html "$file" --force "--since=$SINCE"
printf 'file=%s\n' "$file" >>"$GITHUB_OUTPUT"
