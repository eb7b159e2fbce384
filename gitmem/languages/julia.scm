; Definitions
(module_definition name: (identifier) @name) @definition.module
(struct_definition (type_head [(identifier) @name (_ . (identifier) @name)])) @definition.struct
(abstract_definition (type_head [(identifier) @name (_ . (identifier) @name)])) @definition.type
(function_definition
  (signature [
    (call_expression . (identifier) @name)
    (typed_expression (call_expression . (identifier) @name))
    (where_expression (call_expression . (identifier) @name))])
  . (_)? @body) @definition.function
(macro_definition (signature (call_expression . (identifier) @name)) . (_)? @body) @definition.macro
(assignment . (call_expression . (identifier) @name) (operator) . (_) @body) @definition.function
(const_statement (assignment . (identifier) @name)) @definition.constant

; Exports
(export_statement (identifier) @exported.name)

; Calls, types and what a file takes in
(call_expression . (identifier) @reference.call (#not-eq? @reference.call "include"))
(call_expression . (field_expression (identifier) @reference.call .))
(typed_expression (identifier) (identifier) @reference.type)
(type_head (binary_expression (_) (operator) (identifier) @reference.inherit))
(call_expression
  . (identifier) @_include
  (argument_list . (string_literal (content) @module))
  (#eq? @_include "include")) @import
(using_statement (identifier) @module) @import
(using_statement (selected_import . (identifier) @module (identifier) @imported)) @import
(import_statement [(identifier) (scoped_identifier)] @module) @import

; Documentation
(line_comment) @comment
(block_comment) @comment
((string_literal (content) @text) @comment
  . [(function_definition) (struct_definition) (module_definition) (macro_definition)])
