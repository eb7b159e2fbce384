; Functions, filters and workflows; what a class, an enumeration and a suite of Pester hold.
(function_statement (function_name) @name "{" @body) @definition.function
(class_statement . (simple_name) @name "{" @body) @definition.class
(enum_statement . (simple_name) @name "{" @body) @definition.enum
(enum_member . (simple_name) @name) @definition.member
(class_property_definition (variable) @name) @definition.property
(class_statement
  . (simple_name) @_class
  (class_method_definition (simple_name) @name "{" @body) @definition.constructor
  (#eq? @_class @name))
; The call of a base class, which the grammar takes for a method: `Cart() : base() { }`.
(class_method_definition . (simple_name) @name (#match? @name "(?i)^base$")) @omit
(class_method_definition (simple_name) @name "{" @body) @definition.method
(command
  command_name: (command_name) @_suite
  command_elements: (command_elements
    . (command_argument_sep)
    . [(generic_token) (array_literal_expression (unary_expression (string_literal)))] @name
    (array_literal_expression (unary_expression (script_block_expression "{" @body))))
  (#match? @_suite "(?i)^(describe|context)$")) @definition.section
(command
  command_name: (command_name) @_test
  command_elements: (command_elements
    . (command_argument_sep)
    . [(generic_token) (array_literal_expression (unary_expression (string_literal)))] @name
    (array_literal_expression (unary_expression (script_block_expression "{" @body))))
  (#match? @_test "(?i)^it$")) @definition.test

; Variables that the file sets outside of functions, plain or with a type in front. Every expression
; is one of every precedence, down to the variable.
(program (statement_list (pipeline (assignment_expression (left_assignment_expression
  (logical_expression (bitwise_expression (comparison_expression (additive_expression
    (multiplicative_expression (format_expression (range_expression (array_literal_expression
      (unary_expression [
        (variable) @name
        (expression_with_unary_operator (cast_expression (unary_expression (variable) @name)))
      ]))))))))))) @definition.variable)))

; Not for others: hidden members, what stays in its script, and tests.
(class_property_definition (class_attribute) @_hidden (#match? @_hidden "(?i)^hidden$")) @private
(class_method_definition (class_attribute) @_hidden (#match? @_hidden "(?i)^hidden$")) @private
(function_statement (function_name) @_name
  (#match? @_name "(?i)^(local|private|script):")) @private
(program (statement_list (pipeline
  (assignment_expression (left_assignment_expression) @_left) @private
  (#not-match? @_left "(?i)[$][{]?global:"))))
(command
  command_name: (command_name) @_suite
  (#match? @_suite "(?i)^(describe|context|it)$")) @private

; Relations.
(class_statement ":" (simple_name) @reference.inherit)
([(type_literal (type_spec (type_name (type_identifier) @reference.type)))
  (array_type_name (type_name (type_identifier) @reference.type))
  (generic_type_name (type_name (type_identifier) @reference.type))]
  (#not-match? @reference.type "(?i)^(array|hashtable|ordered|pscustomobject|psobject|regex|scriptblock|switch|type|xml|string|int|bool|object|void)$"))
(attribute_name (type_spec (type_name (type_identifier) @reference.decorator))
  (#not-match? @reference.decorator "(?i)^(parameter|cmdletbinding|outputtype|validate\\w+|allow\\w+)$"))

; Calls: commands and methods, without what PowerShell and Pester offer to every script.
(command command_name: (command_name) @reference.call
  (#match? @reference.call "^[A-Za-z_][A-Za-z0-9_-]*$")
  (#not-match? @reference.call
    "(?i)^(using|import-module|export-modulemember|describe|context|it|should|beforeall|beforeeach|afterall|aftereach|(write|out|select|where|foreach|sort|group|measure|join|split|test|resolve|set|new|get|add|remove|clear|convertto|convertfrom)-(host|output|verbose|debug|warning|error|null|string|object|path|item|childitem|content|variable|member|location|alias|json)|git|cd|echo|ls)$"))
(invokation_expression (member_name (simple_name) @reference.call))

; What a script takes in: modules, and files that it runs in its own scope.
(command
  command_name: (command_name) @_using
  command_elements: (command_elements
    . (command_argument_sep)
    . (generic_token) @_what
    . (command_argument_sep)
    . [(generic_token) (array_literal_expression (unary_expression (string_literal)))] @module)
  (#match? @_using "(?i)^using$")
  (#match? @_what "(?i)^(assembly|module|namespace)$")) @import
(command
  command_name: (command_name) @_import
  command_elements: (command_elements
    . (command_argument_sep)
    . [(generic_token) (array_literal_expression (unary_expression (string_literal)))] @module)
  (#match? @_import "(?i)^(import-module|ipmo)$")) @import
(command
  command_name: (command_name) @_import
  command_elements: (command_elements
    (command_parameter) @_name
    . (command_argument_sep)
    . [(generic_token) (array_literal_expression (unary_expression (string_literal)))] @module)
  (#match? @_import "(?i)^(import-module|ipmo)$")
  (#match? @_name "(?i)^-name$")) @import
(command
  (command_invokation_operator) @_dot
  command_name: (command_name_expr (_) @module)
  (#eq? @_dot ".")) @import

; Documentation: above, or the first thing inside.
(comment) @comment
(function_statement "{" @docstring . (comment) @text)
(class_statement "{" @docstring . (comment) @text)
