#!/usr/bin/env bash
source ./lib/common.sh
. "$ROOT/lib/log.sh"

LIMIT=10
readonly VERSION=1.2
export MODE=fast
alias ll='ls -l'

# Builds all.
# Twice, where asked.
build() {
  local out=1
  log::info "building $out"
  compile "$1" | sort
}

function clean {
  build && remove_all "$(list_files a)"
}
