# shellcheck shell=sh
# Runs a command whose output is a stranger's text. The runner obeys lines like ::add-mask:: on the
# output; from here to the secret word it does not.
quoted() {
    word=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    echo "::stop-commands::$word"
    status=0
    "$@" 2>&1 || status=$?
    printf '\n::%s::\n' "$word"
    return "$status"
}
