; Every definition is a call of a macro: its target's word tells the kind.
(call
  target: (identifier) @_def
  (arguments . [(alias) (dot)] @name)
  (do_block)? @body
  (#eq? @_def "defmodule")) @definition.module
(call
  target: (identifier) @_def
  (arguments . (alias) @name)
  (do_block)? @body
  (#eq? @_def "defprotocol")) @definition.protocol
; An implementation is the module Protocol.Type.
(call
  target: (identifier) @_def
  (arguments . (alias) @container (keywords (pair value: [(alias) (identifier)] @name)))
  (do_block)? @body
  (#eq? @_def "defimpl")) @definition.module
(call
  target: (identifier) @_def
  (arguments . (alias) @name .)
  (do_block)? @body
  (#eq? @_def "defimpl")) @definition.module

; Fields of a struct and of an exception, which bear the name of their module.
(call
  target: (identifier) @_def
  (arguments (list (atom) @name @definition.field))
  (#any-of? @_def "defstruct" "defexception"))
(call
  target: (identifier) @_def
  (arguments (list (keywords (pair key: (keyword) @name) @definition.field)))
  (#any-of? @_def "defstruct" "defexception"))
(call
  target: (identifier) @_def
  (arguments (keywords (pair key: (keyword) @name) @definition.field))
  (#any-of? @_def "defstruct" "defexception"))

; Functions and macros: plain, with arguments, guarded, operators.
(call
  target: (identifier) @_def
  (arguments
    . [(identifier) @name
      (call target: (identifier) @name)
      (binary_operator left: (call target: (identifier) @name) operator: "when")
      (binary_operator left: (identifier) @name operator: "when")])
  (do_block)? @body
  (#any-of? @_def "def" "defp" "defdelegate" "defguard" "defguardp" "defn" "defnp")
  ) @definition.function
(call
  target: (identifier) @_def
  (arguments
    . [(identifier) @name
      (call target: (identifier) @name)
      (binary_operator left: (call target: (identifier) @name) operator: "when")
      (binary_operator left: (identifier) @name operator: "when")])
  (do_block)? @body
  (#any-of? @_def "defmacro" "defmacrop")) @definition.macro
(call
  target: (identifier) @_def
  (arguments
    . [(binary_operator
        operator: ["<>" "++" "--" "+" "-" "*" "/" "**" "==" "!=" "===" "!==" "<" ">" "<=" ">=" "|>" "~>" "<~"
        "<~>" "|||" "&&&" "<<<" ">>>" "<<~" "~>>" "^^^" "+++" "---" ".." "and" "or" "&&" "||" "in" "=~"] @name)
      (binary_operator
        left: (binary_operator
          operator: ["<>" "++" "--" "+" "-" "*" "/" "**" "==" "!=" "===" "!==" "<" ">" "<=" ">=" "|>" "~>" "<~"
        "<~>" "|||" "&&&" "<<<" ">>>" "<<~" "~>>" "^^^" "+++" "---" ".." "and" "or" "&&" "||" "in" "=~"] @name)
        operator: "when")])
  (do_block)? @body
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp")) @definition.function
(call
  target: (identifier) @_test
  (arguments . (string) @name)
  (do_block) @body
  (#any-of? @_test "test" "property")) @definition.test
(call
  target: (identifier) @_describe
  (arguments . (string) @name)
  (do_block) @body
  (#eq? @_describe "describe")) @definition.section

; Attributes: types, callbacks and constants of the module.
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_attribute
    (arguments
      (binary_operator
        left: [(identifier) @name (call target: (identifier) @name)]
        operator: "::")))
  (#any-of? @_attribute "type" "typep" "opaque")) @definition.type
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_attribute
    (arguments
      [(binary_operator
          left: [(identifier) @name (call target: (identifier) @name)]
          operator: "::")
        (binary_operator
          left: (binary_operator
            left: [(identifier) @name (call target: (identifier) @name)]
            operator: "::")
          operator: "when")]))
  (#any-of? @_attribute "callback" "macrocallback")) @definition.method
(do_block
  (unary_operator
    operator: "@"
    operand: (call target: (identifier) @name (arguments . (_)))) @definition.constant
  (#not-match? @name
    "^(moduledoc|doc|typedoc|spec|type|typep|opaque|callback|macrocallback|behaviou?r|impl|derive|enforce_keys|optional_callbacks|deprecated|compile|dialyzer|tag|moduletag|describetag|external_resource|before_compile|after_compile|on_definition|on_load|since|vsn|protocol|for|fallback_to_any|inline)$"))

; Not for others.
(call
  target: (identifier) @_def
  (#any-of? @_def "defp" "defmacrop" "defguardp" "defnp" "test" "describe" "property")) @private
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_attribute)
  (#not-match? @_attribute "^(type|opaque|callback|macrocallback)$")) @private

; Relations.
(call
  target: (identifier) @_use
  (arguments . (alias) @reference.inherit)
  (#eq? @_use "use"))
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_behaviour (arguments . (alias) @reference.inherit))
  (#any-of? @_behaviour "behaviour" "behavior"))
(call
  target: (identifier) @_def
  (arguments . (alias) @reference.inherit)
  (#eq? @_def "defimpl"))
(struct (alias) @reference.type)
(dot left: (alias) @reference.type right: (identifier))
(call
  target: (identifier) @_raise
  (arguments . (alias) @reference.type)
  (#any-of? @_raise "raise" "plug" "assert_raise" "start_supervised" "start_supervised!"))

; Calls: local, remote, captured and piped, without the words that define and steer.
(call
  target: (identifier) @reference.call
  (#not-match? @reference.call
    "^(def|defp|defdelegate|defguardp?|defmacrop?|defnp?|defmodule|defprotocol|defimpl|defstruct|defexception|defoverridable|alias|case|cond|if|unless|import|quote|raise|receive|require|reraise|super|throw|try|unquote|unquote_splicing|use|with|for|test|describe|doc|moduledoc|typedoc|spec|type|typep|opaque|callback|behaviour|impl|assert|refute)$"))
(call target: (dot left: (alias) right: (identifier) @reference.call))
(call target: (dot left: (_) right: (identifier) @reference.call) (arguments))
(binary_operator operator: "|>" right: (identifier) @reference.call)
(unary_operator
  operator: "&"
  operand: (binary_operator left: (identifier) @reference.call operator: "/"))

; What a module takes in.
(call
  target: (identifier) @_import
  (arguments . (alias) @module)
  (#any-of? @_import "alias" "import" "require" "use")) @import
(call
  target: (identifier) @_import
  (arguments . (dot left: (alias) @module right: (tuple (alias) @imported)))
  (#any-of? @_import "alias" "import" "require" "use")) @import

; Documentation
(comment) @comment
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_doc
    (arguments [(string (quoted_content) @text) (sigil (quoted_content) @text)]))
  (#any-of? @_doc "doc" "typedoc")) @comment
(do_block
  (unary_operator
    operator: "@"
    operand: (call
      target: (identifier) @_doc
      (arguments [(string (quoted_content) @text) (sigil (quoted_content) @text)])))
  (#eq? @_doc "moduledoc")) @docstring
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_attached)
  (#any-of? @_attached "spec" "impl" "deprecated" "tag")) @attached
