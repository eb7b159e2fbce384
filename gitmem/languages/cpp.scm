; Before c_family.scm: classes, namespaces, templates.
(namespace_definition name: (_) @name) @definition.namespace
(class_specifier name: (type_identifier) @name body: (_)) @definition.class
(class_specifier name: (template_type name: (type_identifier) @name) body: (_)) @definition.class
(class_specifier
  name: (qualified_identifier scope: (_) @container name: (type_identifier) @name)
  body: (_)) @definition.class
(struct_specifier name: (template_type name: (type_identifier) @name) body: (_)) @definition.struct
(struct_specifier
  name: (qualified_identifier scope: (_) @container name: (type_identifier) @name)
  body: (_)) @definition.struct
(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.type

; A template's parameters stand between the documentation and what it is a template of
(template_declaration parameters: (_) @attached)

; Members: a function without a type is a constructor
(field_declaration_list
  (function_definition
    !type
    declarator: (function_declarator declarator: (identifier) @name)) @definition.constructor)
(field_declaration_list
  (declaration
    !type
    declarator: (function_declarator declarator: (identifier) @name)) @definition.constructor)
(function_definition declarator: [
  (function_declarator declarator: [(field_identifier) (destructor_name) (operator_name)] @name)
  (_ (function_declarator declarator: [(field_identifier) (operator_name)] @name))
  (_ (_ (function_declarator declarator: [(field_identifier) (operator_name)] @name)))
]) @definition.function
(function_definition declarator: [
  (reference_declarator (function_declarator declarator: (identifier) @name))
  (pointer_declarator (reference_declarator (function_declarator declarator: (identifier) @name)))
  (function_declarator declarator: (template_function name: (identifier) @name))
]) @definition.function
(declaration declarator: [
  (function_declarator declarator: [(destructor_name) (operator_name)] @name)
  (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))
]) @global.function
(field_declaration declarator: [
  (function_declarator declarator: [(field_identifier) (operator_name)] @name)
  (_ (function_declarator declarator: [(field_identifier) (operator_name)] @name))
  (_ (_ (function_declarator declarator: [(field_identifier) (operator_name)] @name)))
]) @definition.function
(field_declaration declarator: (reference_declarator (field_identifier) @name)) @definition.field

; Defined outside of their class
(function_definition declarator: [
  (function_declarator declarator: (qualified_identifier
    scope: [(namespace_identifier) @container (template_type name: (_) @container)]
    name: [(identifier) (destructor_name) (operator_name)] @name))
  (_ (function_declarator declarator: (qualified_identifier
    scope: [(namespace_identifier) @container (template_type name: (_) @container)]
    name: [(identifier) (destructor_name) (operator_name)] @name)))
  (_ (_ (function_declarator declarator: (qualified_identifier
    scope: [(namespace_identifier) @container (template_type name: (_) @container)]
    name: [(identifier) (destructor_name) (operator_name)] @name))))
  (function_declarator declarator: (qualified_identifier
    scope: [(namespace_identifier) @container (template_type name: (_) @container)]
    name: (qualified_identifier
      scope: [(namespace_identifier) @container (template_type name: (_) @container)]
      name: [(identifier) (destructor_name) (operator_name)] @name)))
  (_ (function_declarator declarator: (qualified_identifier
    scope: [(namespace_identifier) @container (template_type name: (_) @container)]
    name: (qualified_identifier
      scope: [(namespace_identifier) @container (template_type name: (_) @container)]
      name: [(identifier) (destructor_name) (operator_name)] @name))))
]) @definition.method
(declaration declarator: [
  (reference_declarator (identifier) @name)
  (init_declarator declarator: (reference_declarator (identifier) @name))
]) @global.variable

(translation_unit
  (function_definition (storage_class_specifier) @_static (#eq? @_static "static")) @private)
(declaration_list
  (function_definition (storage_class_specifier) @_static (#eq? @_static "static")) @private)

; References
(call_expression function: (qualified_identifier name: (identifier) @reference.call))
(call_expression function:
  (qualified_identifier name: (qualified_identifier name: (identifier) @reference.call)))
(call_expression function:
  (qualified_identifier name: (template_function name: (identifier) @reference.call)))
(call_expression function: (template_function name: (identifier) @reference.call))
(call_expression function:
  (field_expression field: (template_method name: (field_identifier) @reference.call)))
(new_expression type: (type_identifier) @reference.call)
(base_class_clause (type_identifier) @reference.inherit)
(base_class_clause (template_type name: (type_identifier) @reference.inherit))
(base_class_clause (qualified_identifier name: (type_identifier) @reference.inherit))
(base_class_clause
  (qualified_identifier name: (template_type name: (type_identifier) @reference.inherit)))

(using_declaration "namespace" (_) @module) @import
