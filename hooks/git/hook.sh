# shellcheck shell=sh
#
# gitmem's git hook. post-commit, post-merge, post-checkout and post-rewrite (and for a review
# pre-commit or pre-push) source this file in a subshell, with the event's name before git's own
# arguments. It appends one line to gitmem's spool
# and starts `gitmem drain` in the background to read it. git waits for no other program.
#
# Written by `gitmem hooks install` (changes made here are lost), removed by `gitmem hooks uninstall`.
# GITMEM_HOOKS=0 in the environment turns it off.
#
# The calling shell may be sh, dash, bash, zsh or busybox, so only what they share is used, and of
# programs only `nice` and gitmem: each one more would be waited for at every commit.

[ "${GITMEM_HOOKS-}" = 0 ] && exit

# The calling script may have set these: stop at errors, no overwriting, no unset variables.
set +Ceu
umask 077

# Before a commit or a push, if wanted: what a review finds is printed. It always succeeds.
case $1 in
    pre-*)
        event=$1
@HOMES@
        set -- @COMMAND@
        [ -x "$1" ] || set -- gitmem
        "$@" review-hook "$event"
        exit 0
        ;;
esac

# Outlive a terminal that closes. A spool that nobody reads stops growing at one or two megabytes
# (ulimit counts blocks of 512 or 1024 bytes), and a write beyond that must not kill the shell.
trap '' HUP XFSZ
ulimit -S -f 2048

event=${1#post-}
shift

# git names the git directory of this work tree in GIT_DIR, or in the file .git, as "gitdir: PATH".
# A linked work tree's names the common one, which all work trees share, in the file commondir.
git_dir=${GIT_DIR:-.git}
[ -f "$git_dir" ] && read -r word git_dir <"$git_dir"

# A rebase tells of its commits at its end, to post-rewrite.
[ "$event" = commit ] && [ -e "$git_dir/rebase-merge" ] && exit

common_dir=.
tree=
if [ -f "$git_dir/commondir" ]; then
    read -r common_dir <"$git_dir/commondir"
    tree=${git_dir##*/} # by this name the drain finds the linked work tree, wherever it was moved
fi
case $common_dir in
    /*) ;;
    *) common_dir=$git_dir/$common_dir ;;
esac

store=$common_dir/@STORE@
token=@TOKEN@ # by this word before it a line is known to have been written here
spool=$store/spool

# Never write through a symbolic link, and only to files: a pipe would keep git waiting for a reader.
[ -h "$store" ] && exit
[ -h "$spool" ] && exit
for file in events drain; do
    [ -h "$spool/$file" ] && exit
    [ ! -e "$spool/$file" ] || [ -f "$spool/$file" ] || exit
done

# The branch and its commit, "-" where there is none or it stands elsewhere, as in packed-refs.
branch=-
commit=-
read -r commit <"$git_dir/HEAD"
case $commit in
    ref:*)
        branch=${commit#ref: }
        commit=-
        read -r commit <"$common_dir/$branch"
        ;;
esac

# Append one line, after one that names a linked work tree; its arguments are the event's own words.
# Where the line cannot be written and none waits either, there is nothing to drain.
note() {
    printf '%s\n' ${tree:+"$token gm1 tree - - - $tree"} "$token gm1 $event ${EPOCHSECONDS:--} $branch ${commit:--}$*" >>"$spool/events" ||
        [ -s "$spool/events" ] || exit
}

case $event in
    commit) note ;;
    merge) note " ${1:--}" ;;
    checkout) note " ${1:--} ${2:--} ${3:--}" ;;
    rewrite)
        # Pairs of an old and a new commit: from standard input, or from the file that git makes it
        # of, since a hook shared with other tools leaves them its input.
        if [ "${1-}" = rebase ]; then
            for list in rebase-merge/rewritten-list rebase-apply/rewritten; do
                [ -r "$git_dir/$list" ] && exec <"$git_dir/$list"
            done
        fi
        # 24 pairs a line: up to 4096 bytes are appended in one piece, whoever else writes.
        count=24
        while [ "$count" = 24 ]; do
            count=0
            pairs=
            while [ "$count" -lt 24 ] && read -r old new word; do
                pairs="$pairs $old $new"
                count=$((count + 1))
            done
            note " ${1:--}$pairs"
        done
        ;;
    *) exit ;;
esac

# In the middle of a rebase, an am, a bisect or several picks, the drain waits for the last step.
if [ "$event" != rewrite ]; then
    [ -e "$git_dir/rebase-merge" ] && exit
    [ -e "$git_dir/rebase-apply" ] && exit
    [ -e "$git_dir/BISECT_LOG" ] && exit
    { read -r word && read -r word; } <"$git_dir/sequencer/todo" && exit
fi

# The drain that was started last may still be at work; it looks again before it ends.
read -r pid <"$spool/drain" && kill -0 "$pid" && exit

# Where whoever installed the hooks keeps the keys of stores, if not in the usual place.
@HOMES@
set -- @COMMAND@
[ -x "$1" ] || set -- gitmem
command -v nice && set -- nice -n 19 "$@"

# Without the files that git or its caller holds open: a lock would be held until the drain ends.
"$@" drain -C "$store/.." </dev/null 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &
echo $! >"$spool/drain"
