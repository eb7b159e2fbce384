; (#not-any-of? with several words does not filter in tree-sitter 0.26 for Python: #not-match? does.)
; Modules, classes and the names bound to made classes.
(module name: (constant) @name) @definition.module
(module name: (scope_resolution scope: (_) @container name: (constant) @name)) @definition.module
(class name: (constant) @name) @definition.class
(class name: (scope_resolution scope: (_) @container name: (constant) @name)) @definition.class

(assignment
  left: (constant) @name
  right: (call receiver: (constant) @_maker method: (identifier) @_new block: (_)? @body)
  (#any-of? @_maker "Struct" "Class" "Data")
  (#any-of? @_new "new" "define")) @definition.class
(assignment
  left: (constant) @name
  right: (call receiver: (constant) @_maker method: (identifier) @_new block: (_)? @body)
  (#eq? @_maker "Module")
  (#eq? @_new "new")) @definition.module

; Other constants: what the patterns above did not take.
(assignment left: (constant) @name) @definition.constant
(assignment left: (left_assignment_list (constant) @name)) @definition.constant
(operator_assignment left: (constant) @name) @definition.constant

; Methods. One outside of every class and block is a function.
((method name: (_) @name) @definition.constructor (#eq? @name "initialize"))
(program (method name: (_) @name) @definition.function)
(method name: (_) @name) @definition.method
(singleton_method object: (self) name: (_) @name) @definition.method
(singleton_method
  object: [(constant) (scope_resolution) (identifier)] @container
  name: (_) @name) @definition.method
(call
  !receiver
  method: (identifier) @_define
  arguments: (argument_list . (simple_symbol) @name)
  (#any-of? @_define "define_method" "define_singleton_method")) @definition.method
(alias name: (_) @name) @definition.method
(call
  !receiver
  method: (identifier) @_alias
  arguments: (argument_list . (simple_symbol) @name . (_))
  (#any-of? @_alias "alias_method" "alias_attribute")) @definition.method

; Attributes: each symbol by itself.
(call
  !receiver
  method: (identifier) @_attr
  arguments: (argument_list (simple_symbol) @name)
  (#any-of? @_attr
    "attr" "attr_reader" "attr_writer" "attr_accessor" "cattr_reader" "cattr_writer"
    "cattr_accessor" "mattr_reader" "mattr_writer" "mattr_accessor" "class_attribute"))
  @definition.property
(call
  !receiver
  method: (identifier) @_macro
  arguments: (argument_list . (simple_symbol) @name)
  (#any-of? @_macro
    "scope" "has_many" "has_one" "belongs_to" "has_and_belongs_to_many" "delegate_missing_to"
    "enum" "let" "let!" "subject")) @definition.property

; Not for others: after the word `private`, or said of the method itself.
(body_statement
  (identifier) @_private
  [(method) (singleton_method)] @private
  (#any-of? @_private "private" "protected"))
(call
  !receiver
  method: (identifier) @_private
  arguments: (argument_list [(method) (singleton_method)] @private)
  (#any-of? @_private "private" "protected" "private_class_method"))

; Relations: the last part of a name with scopes.
(superclass [(constant) @reference.inherit (scope_resolution name: (constant) @reference.inherit)])
(call
  !receiver
  method: (identifier) @_mix
  arguments: (argument_list [(constant) @reference.inherit (scope_resolution name: (constant) @reference.inherit)])
  (#any-of? @_mix "include" "extend" "prepend"))
(assignment
  left: (constant)
  right: (call
    receiver: (constant) @_class
    method: (identifier) @_new
    arguments: (argument_list . [(constant) @reference.inherit (scope_resolution name: (constant) @reference.inherit)]))
  (#eq? @_class "Class")
  (#eq? @_new "new"))
(call receiver: [(constant) @reference.type (scope_resolution name: (constant) @reference.type)])
(exceptions [(constant) @reference.type (scope_resolution name: (constant) @reference.type)])
(argument_list [(constant) @reference.type (scope_resolution name: (constant) @reference.type)])

; Calls with a receiver or arguments; bare words are not told from local variables.
(call receiver: (_) method: [(identifier) (constant)] @reference.call
  (#not-match? @reference.call "^(new|nil[?]|to_s|is_a[?]|freeze|class|dup)$"))
(call !receiver method: [(identifier) (constant)] @reference.call
  (#not-match? @reference.call "^(require|require_relative|load|autoload|include|extend|prepend|attr|attr_reader|attr_writer|attr_accessor|alias_method|define_method|private|public|protected|private_constant|private_class_method|module_function|raise|puts|lambda|proc|loop|block_given[?])$"))

; What a file takes in.
(call
  !receiver
  method: (identifier) @_require
  arguments: (argument_list . (string (string_content) @module))
  (#any-of? @_require "require" "require_relative" "load")) @import
(call
  method: (identifier) @_autoload
  arguments: (argument_list . (simple_symbol) @imported . (string (string_content) @module))
  (#eq? @_autoload "autoload")) @import

; Documentation
(comment) @comment
