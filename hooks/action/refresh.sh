#!/bin/sh
# Brings the index of the repository up to date and says what was done.
#
# Reads PROGRAM (gitmem), REPOSITORY (folder below the workspace), RESTORED (the key of the cached
# store, empty without one) and SAVE (auto, always, never). Of what gitmem answers only digits reach
# the outputs and the summary, so no name of a file, branch or commit can become Markdown or a value.
set -eu

out=$RUNNER_TEMP/gitmem-index.json
# Nothing of the machine's own: a runner may be somebody's computer. The keys of the stores in it
# come from the cache, as the store does.
export GITMEM_HOME="$RUNNER_TEMP/gitmem-home" GITMEM_BACKUP_INTERVAL_HOURS=0

fail() {
    echo "::error::$1"
    printf '### gitmem index\n\n%s\n' "$1" >>"$GITHUB_STEP_SUMMARY"
    exit 1
}

# shellcheck source=hooks/action/quoted.sh
. "$GITHUB_ACTION_PATH/hooks/action/quoted.sh"

index() {
    "$PROGRAM" index --json >"$out"
}

# Statuses: 1 a problem that remains, 8 a file that is not gitmem's, 9 damaged or of a newer gitmem.
refresh() {
    if [ ! -e "$store" ]; then
        quoted "$PROGRAM" init --no-hooks --no-index || return
    fi
    quoted index || return
    quoted "$PROGRAM" doctor --fix
}

number() {
    sed -n "s/^  \"$1\": \([0-9.]*\),*\$/\1/p" "$out"
}

case $SAVE in
auto | always | never) ;;
*) fail "The input save is one of auto, always and never." ;;
esac

cd -- "$GITHUB_WORKSPACE/$REPOSITORY" || fail "The input path is not a folder of the workspace."
store=.gitmem/memory.db
[ ! -L .gitmem ] || fail "There is a link called .gitmem in the repository; remove it."
state=new
if [ -n "$RESTORED" ] && [ -e "$store" ]; then
    state=restored
    # Of the folder only the file comes from the cache; git must not see it.
    echo '*' >.gitmem/.gitignore
fi

status=0
refresh || status=$?
case $state$status in
restored1 | restored8 | restored9)
    # It only holds what can be made again: put it aside, and begin anew.
    mkdir -p "$RUNNER_TEMP/gitmem-damaged"
    mv "$store"* "$RUNNER_TEMP/gitmem-damaged/"
    state=again status=0
    refresh || status=$?
    ;;
esac
[ "$status" -eq 0 ] || fail "gitmem ended with status $status; the log of this step tells why."

shallow=$(git rev-parse --is-shallow-repository)
[ "$shallow" = true ] || shallow=false
bytes=$(($(wc -c <"$store")))
changes=$(($(number added) + $(number moved) + $(number dropped) + $(number commits)))

saving=false
if [ "$state" != restored ] || [ "$changes" -gt 0 ] || [ "$(number vectors)" -gt 0 ]; then
    # Other events run with a branch's rights on somebody else's files: nothing of it is kept.
    case $SAVE:$GITHUB_EVENT_NAME:$GITHUB_REF in
    always:* | auto:push:refs/heads/* | auto:schedule:* | auto:workflow_dispatch:*) saving=true ;;
    esac
fi

# Later steps find the store's key there, and without it refuse the store.
printf 'GITMEM_HOME=%s\n' "$GITMEM_HOME" >>"$GITHUB_ENV"

{
    for name in added moved dropped kept skipped commits seconds; do
        printf '%s=%s\n' "$name" "$(number "$name")"
    done
    printf 'state=%s\nshallow=%s\nbytes=%s\nsave=%s\n' "$state" "$shallow" "$bytes" "$saving"
    [ "$state" = restored ] && echo cache-hit=true || echo cache-hit=false
} >>"$GITHUB_OUTPUT"

{
    printf '### gitmem index\n\n'
    case $state in
    new) echo 'Nothing was in the cache: the index was made from nothing.' ;;
    restored) echo 'The index came from the cache and was brought up to date.' ;;
    again) echo 'The store in the cache was damaged or of another gitmem: the index was made anew.' ;;
    esac
    printf '\n| Files | |\n|---|--:|\n'
    for name in added moved dropped kept skipped; do
        printf '| %s | %s |\n' "$name" "$(number "$name")"
    done
    printf '\n| Index | |\n|---|--:|\n'
    printf '| new commits | %s |\n| seconds | %s |\n' "$(number commits)" "$(number seconds)"
    printf '| store | %s KB |\n\n' "$((bytes / 1024))"
    if [ "$shallow" = true ]; then
        # shellcheck disable=SC2016 # the backticks are Markdown
        echo 'The checkout is shallow, so older commits are missing: give `actions/checkout` the' \
            'input `fetch-depth: 0` to have them all.'
        echo
    fi
    case $saving in
    true) echo 'The store goes to the cache.' ;;
    false) echo 'The store was not saved: nothing changed, or this kind of run does not save.' ;;
    esac
} >>"$GITHUB_STEP_SUMMARY"
