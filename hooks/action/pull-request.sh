#!/bin/sh
# Sums up a pull request: into the job's summary, and into a folder for the artifact.
#
# Reads PROGRAM, REPOSITORY (folder below the workspace), BASE and HEAD (its commits), NUMBER, and
# MEMORIES (a file of the base commit with memories to believe, may be empty). Writes `folder` to
# $GITHUB_OUTPUT. Texts of strangers reach the summary as code spans of `gitmem pr` only.
# It never fails a job: what could not be done is said in the summary.
set -eu

# shellcheck source=hooks/action/quoted.sh
. "$GITHUB_ACTION_PATH/hooks/action/quoted.sh"
cd -- "$GITHUB_WORKSPACE/$REPOSITORY"
export GITMEM_HOME="$RUNNER_TEMP/gitmem-home" GITMEM_BACKUP_INTERVAL_HOURS=0
folder=$RUNNER_TEMP/gitmem-pr
mkdir -p "$folder"

note() {
    printf '%s\n' "$1" >>"$GITHUB_STEP_SUMMARY"
}

case $BASE$HEAD$NUMBER in
*[!0-9a-f]*)
    note "The event does not name the commits of a pull request, so nothing was summed up."
    exit 0
    ;;
esac

# The file as the base has it: a pull request may change it, and would be believed.
believe() {
    git show "$BASE:$MEMORIES" >"$RUNNER_TEMP/gitmem-memories.jsonl" &&
        "$PROGRAM" import --trust "$RUNNER_TEMP/gitmem-memories.jsonl"
}
if [ -n "$MEMORIES" ]; then
    quoted believe || note "The file of the input memories could not be read from the base commit."
fi

# The usual checkout is the merge of both, whose first parent is the base as it is now.
range=$BASE..$HEAD
[ "$(git rev-parse -q --verify 'HEAD^2' || :)" != "$HEAD" ] || range=HEAD^1..HEAD
if [ "$range" = "$BASE..$HEAD" ] &&
    ! printf '%s^{commit}\n' "$BASE" "$HEAD" | git rev-list --quiet --stdin 2>/dev/null; then
    # shellcheck disable=SC2016 # the backticks are Markdown
    note 'The checkout lacks commits of the pull request, so not all of it was reviewed: give `actions/checkout` the input `fetch-depth: 0`. `fetch-depth: 2` is enough for the change itself.'
    git cat-file -e "$HEAD^{commit}" 2>/dev/null || exit 0
fi

review() {
    "$PROGRAM" pr "$range" --json >"$folder/pr.json"
}
if ! quoted review; then
    note "The pull request could not be summed up; the log of this step tells why."
    exit 0
fi
link=$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID
"$PROGRAM" pr --saved "$folder/pr.json" --link "$link" >>"$GITHUB_STEP_SUMMARY"
"$PROGRAM" pr --saved "$folder/pr.json" --sarif >"$folder/pr.sarif"
printf '%s\n' "$NUMBER" >"$folder/number"
printf 'folder=%s\n' "$folder" >>"$GITHUB_OUTPUT"
