; Types.
(class_definition name: (_) @name) @definition.class
(object_definition name: (_) @name) @definition.object
(package_object name: (_) @name) @definition.object
(trait_definition name: (_) @name) @definition.trait
(enum_definition name: (_) @name) @definition.enum
(simple_enum_case name: (_) @name) @definition.member
(full_enum_case name: (_) @name) @definition.member
(type_definition name: (_) @name) @definition.type
(package_clause name: (package_identifier) @name) @definition.namespace

; Functions: members of types, of extensions (the extended type contains them), and all others.
((function_definition name: (_) @name) @definition.constructor (#eq? @name "this"))
(function_declaration name: (_) @name) @definition.method
(extension_definition (parameters . (parameter type: (_) @name))) @scope
(extension_definition (function_definition name: (_) @name) @definition.method)
(function_definition name: (_) @name) @definition.function

; Values outside functions, and parameters of classes.
(template_body
  [(val_definition pattern: [(identifier) @name (_ (identifier) @name)])
    (var_definition pattern: [(identifier) @name (_ (identifier) @name)])] @definition.field)
(with_template_body [(val_definition pattern: (identifier) @name)] @definition.field)
(enum_body (val_definition pattern: (identifier) @name) @definition.field)
[(val_declaration name: (_) @name) (var_declaration name: (_) @name)] @definition.field
(compilation_unit
  [(val_definition pattern: (identifier) @name)
    (var_definition pattern: (identifier) @name)] @definition.variable)
(given_definition name: (_) @name body: (with_template_body)) @definition.object
(template_body (given_definition name: (_) @name) @definition.field)
(compilation_unit (given_definition name: (_) @name) @definition.variable)
(class_parameter ["val" "var"] name: (_) @name) @definition.property
(class_definition
  "case"
  [(identifier) (type_parameters)]
  . class_parameters: (class_parameters
    (class_parameter name: (_) @name) @definition.property))

; Not for others.
(_ (modifiers (access_modifier))) @private

; Relations.
(extends_clause (type_identifier) @reference.inherit)
(extends_clause (generic_type type: (type_identifier) @reference.inherit))
(extends_clause (stable_type_identifier (type_identifier) @reference.inherit))
(derives_clause (type_identifier) @reference.inherit)
(annotation name: (type_identifier) @reference.decorator)
(parameter type: (type_identifier) @reference.type)
(class_parameter type: (type_identifier) @reference.type)
(generic_type type: (type_identifier) @reference.type)
(type_arguments (type_identifier) @reference.type)
(function_definition return_type: (type_identifier) @reference.type)
(function_declaration return_type: (type_identifier) @reference.type)
(val_definition type: (type_identifier) @reference.type)
(var_definition type: (type_identifier) @reference.type)
(instance_expression . (type_identifier) @reference.type)
(typed_pattern type: (type_identifier) @reference.type)
(case_class_pattern type: (type_identifier) @reference.type)
(field_expression value: (identifier) @reference.type (#match? @reference.type "^[A-Z]"))

; Calls; words of infix expressions, but no operators.
(call_expression function: (identifier) @reference.call)
(call_expression function: (field_expression field: (identifier) @reference.call))
(generic_function function: (identifier) @reference.call)
(generic_function function: (field_expression field: (identifier) @reference.call))
(infix_expression operator: (identifier) @reference.call)

; What a file takes in: the path in its parts, the selected names by themselves.
(import_declaration
  . (identifier) @module
  ("." . (identifier) @module)*
  . (namespace_selectors
    [(identifier) @imported
      (arrow_renamed_identifier name: (identifier) @imported)
      (as_renamed_identifier name: (identifier) @imported)])) @import
(import_declaration . (identifier) @module ("." . (identifier) @module)*) @import

; Documentation
[(comment) (block_comment)] @comment
(annotation) @attached
