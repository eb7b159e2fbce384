; Definitions. A function directly in a class becomes a method (the engine's rule).
(class_definition name: (identifier) @name) @definition.class
(function_definition name: (identifier) @name) @definition.function
(type_alias_statement left: (type (identifier) @name)) @definition.type
(type_alias_statement left: (type (generic_type (identifier) @name))) @definition.type

((module (expression_statement (assignment left: (identifier) @name) @definition.constant))
  (#match? @name "^_*[A-Z][A-Z0-9_]*$"))
(module (expression_statement (assignment left: (identifier) @name) @definition.variable))
(module (expression_statement (assignment right: (assignment left: (identifier) @name)
  @definition.variable)))
; What a module sets only under a condition. Not what it sets otherwise (`else`, `except`): that is
; nearly always the same name again, and costs a tenth of compiling this file.
(module (if_statement
  (block (expression_statement (assignment left: (identifier) @name) @definition.variable))))
(module (try_statement
  (block (expression_statement (assignment left: (identifier) @name) @definition.variable))))
(class_definition body: (block (expression_statement
  (assignment left: (identifier) @name) @definition.field)))

; Documentation
(block . (expression_statement . (string (string_content) @text)) @docstring)
(comment) @comment
(decorator) @attached

; References
(call function: (identifier) @reference.call)
(call function: (attribute attribute: (identifier) @reference.call))
(decorator (identifier) @reference.decorator)
(decorator (attribute attribute: (identifier) @reference.decorator))
(decorator (call function: (identifier) @reference.decorator))
(decorator (call function: (attribute attribute: (identifier) @reference.decorator)))
(class_definition superclasses: (argument_list (identifier) @reference.inherit))
(class_definition superclasses: (argument_list (attribute attribute: (identifier) @reference.inherit)))
(class_definition superclasses: (argument_list (subscript value: (identifier) @reference.inherit)))
(type (identifier) @reference.type)
(type (attribute attribute: (identifier) @reference.type))
(type (generic_type (identifier) @reference.type))
(type (binary_operator (identifier) @reference.type))
(type (subscript value: (identifier) @reference.type))

; Imports
(import_statement name: (dotted_name) @module) @import
(import_statement name: (aliased_import name: (dotted_name) @module)) @import
(import_from_statement module_name: (_) @module name: (dotted_name) @imported) @import
(import_from_statement module_name: (_) @module name: (aliased_import name: (dotted_name) @imported)) @import
(import_from_statement module_name: (_) @module (wildcard_import) @imported) @import
(future_import_statement "__future__" @module name: (dotted_name) @imported) @import

; What __all__ names is exported
((assignment left: (identifier) @_all right: [(list (string (string_content) @exported.name))
                                               (tuple (string (string_content) @exported.name))])
  (#eq? @_all "__all__"))
