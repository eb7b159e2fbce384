"""Shell: functions, variables of the file, aliases, sourced files; tests of bats."""

from __future__ import annotations

from tests.support.syntax import imports, outline, read, uses


def test_a_test_of_bats_is_reported_by_its_words_and_run_calls_its_first_word() -> None:
    source = 'load test_helper\n\n@test "builds what is asked" {\n  run build all\n}\n'
    message = read("bash", "test/build.bats", source)
    assert outline(message) == ["test builds what is asked"]
    assert uses(message, "call") == {"build"}
    assert imports(message) == {"test_helper": ()}


def test_local_variables_and_words_of_the_shell_are_not_reported() -> None:
    message = read("bash", "a.sh", "f() {\n  local a=1\n  b=2\n  echo one\n  cd two\n}\n")
    assert outline(message) == ["function f"]
    assert uses(message, "call") == set()


def test_an_alias_is_reported_with_and_without_quotes() -> None:
    message = read("bash", "a.sh", "alias g=git\nalias gst='git status' la=ls\nalias \"x\"='y=1'\n")
    assert outline(message) == ["function g", "function gst", "function la", "function x"]


def test_the_words_of_zsh_hide_no_other_function() -> None:
    """From ohmyzsh: plugins/mix-fast and lib/clipboard.zsh."""
    source = """\
_mix () {
  local tasks=(${(f)"$(cat .mix_tasks)"})
  _describe 'tasks' tasks
}

function git-prompt {
  local -a lines=(${(@f)1})
  print -r -- ${(j:, :)lines}
}

function clipcopy clippaste {
  unfunction clipcopy clippaste
}

alias mix_refresh='_mix_refresh'
"""
    result = read("bash", "mix-fast.plugin.zsh", source)
    assert outline(result) == [
        "function _mix",
        "function git-prompt",
        "function clipcopy",
        "function clippaste",
        "function mix_refresh",
    ]
    assert [definition.line for definition in result.definitions] == [1, 6, 11, 11, 15]


def test_a_function_in_a_text_or_a_here_document_begins_no_piece() -> None:
    source = """\
one() {
  awk '
function two(a) { return a }
'
  cat <<EOF
three() {
EOF
}
four() { echo ${(f)x}; }
"""
    assert outline(read("bash", "a.sh", source)) == ["function one", "function four"]
