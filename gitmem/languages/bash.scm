; Functions, tests of bats, aliases, and variables set outside functions.
(function_definition name: (word) @name) @definition.function
(command
  name: (command_name) @_test
  argument: [(string) (raw_string)] @name
  (#eq? @_test "@test")) @definition.test
(command
  name: (command_name) @_alias
  argument: [
    (concatenation . (word) @name)
    (concatenation . (string) @name . (word))
    (word) @name]
  (#eq? @_alias "alias")
  (#match? @name "=|^[\"']")) @definition.function
; zsh: one body of several names; and what is left of a function with words that bash has not.
(function_definition "function" (ERROR (word) @name) name: (word)) @definition.function
(ERROR "function" . (word) @name) @definition.function
(program
  . (command . name: (command_name . (word) @name .) .)
  . (ERROR . "(" . ")") @definition.function)
(program (variable_assignment name: (variable_name) @name) @definition.variable)
(program
  (declaration_command
    ["export" "declare" "typeset"]
    (variable_assignment name: (variable_name) @name)) @definition.variable)
(program
  (declaration_command
    "readonly"
    (variable_assignment name: (variable_name) @name)) @definition.constant)

; Calls: the first word of a command, without what the shell itself and its toolbox offer.
(command name: (command_name . (word) @reference.call .)
  (#match? @reference.call "^[A-Za-z_][A-Za-z0-9_:.-]*$")
  (#not-match? @reference.call
    "^(echo|printf|cd|exit|return|test|true|false|shift|set|eval|exec|trap|source|load|read|cat|grep|sed|awk|rm|mkdir|mv|cp|ls|sort|head|tail|cut|tr|wc|chmod|touch|git|alias|unset|unalias|pushd|popd|wait|kill|let|command|builtin|type|break|continue|sleep|xargs|find|tee|basename|dirname|getopts|shopt|umask|local|export|declare|run)$"))
(command
  name: (command_name) @_run
  . argument: (word) @reference.call
  (#eq? @_run "run")
  (#match? @reference.call "^[A-Za-z_][A-Za-z0-9_:-]*$"))

; What a script takes in.
(command
  name: (command_name) @_source
  . argument: (_) @module
  (#any-of? @_source "source" "." "load" "bats_load_library")) @import

; Documentation
(comment) @comment
