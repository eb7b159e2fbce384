; Functions. In `M.f` and `M:f` the table is the container.
(function_declaration name: (identifier) @name) @definition.function
(function_declaration
  name: (dot_index_expression table: (_) @container field: (identifier) @name)) @definition.function
(function_declaration
  name: (method_index_expression table: (_) @container method: (identifier) @name)) @definition.method
(assignment_statement
  (variable_list . name: (identifier) @name)
  (expression_list . value: (function_definition body: (_)? @body))) @definition.function
(assignment_statement
  (variable_list . name: (dot_index_expression table: (_) @container field: (identifier) @name))
  (expression_list . value: (function_definition body: (_)? @body))) @definition.function
(assignment_statement
  (variable_list
    . name: (bracket_index_expression table: (_) @container field: (string content: (string_content) @name)))
  (expression_list . value: (function_definition body: (_)? @body))) @definition.function
(field
  name: (identifier) @name
  value: (function_definition body: (_)? @body)) @definition.function
(field
  name: (string content: (string_content) @name)
  value: (function_definition body: (_)? @body)) @definition.function

; Tables and values of the file, and what is set on its tables.
(chunk
  (variable_declaration
    (assignment_statement
      (variable_list . name: (identifier) @name)
      (expression_list
        . value: [(table_constructor) (string) (number) (true) (false) (nil) (binary_expression)
          (unary_expression) (identifier) (dot_index_expression) (bracket_index_expression)])
      )) @definition.variable)
(chunk
  (variable_declaration
    (assignment_statement
      (variable_list . name: (identifier) @name)
      (expression_list . value: (function_call name: (_) @_called)))
      ) @definition.variable
  (#not-eq? @_called "require"))
(chunk
  (assignment_statement
    (variable_list . name: (identifier) @name)
    (expression_list
      . value: [(table_constructor) (string) (number) (true) (false) (function_call)])
      ) @definition.variable)
(chunk
  (assignment_statement
    (variable_list . name: (dot_index_expression table: (_) @container field: (identifier) @name))
    (expression_list
      . value: [(table_constructor) (string) (number) (true) (false) (function_call) (nil)
        (binary_expression) (unary_expression) (identifier) (dot_index_expression)])
      ) @definition.field)

; Not for others.
((function_declaration) @private (#match? @private "^local\\b"))
(variable_declaration (assignment_statement) @private)
(chunk (variable_declaration) @private)

; Calls.
(function_call name: (identifier) @reference.call
  (#not-match? @reference.call "^(require|pairs|ipairs|type|tostring|setmetatable|error|assert)$"))
(function_call name: (dot_index_expression field: (identifier) @reference.call))
(function_call name: (method_index_expression method: (identifier) @reference.call))

; What a file takes in; with the name where that is all of the value.
(assignment_statement
  (variable_list . name: (identifier))
  (expression_list
    . value: (function_call
      name: (identifier) @_require
      arguments: (arguments . (string content: (string_content) @module))))
  (#eq? @_require "require")) @import
(function_call
  name: (identifier) @_require
  arguments: (arguments . (string content: (string_content) @module))
  (#any-of? @_require "require" "dofile" "loadfile")) @import

; Documentation
(comment) @comment
