; Types and namespaces.
(namespace_definition name: (namespace_name) @name body: (_)) @definition.namespace
; Without a body it is the namespace of the rest of the file.
(namespace_definition name: (namespace_name) @name) @definition.namespace @rest
(class_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(trait_declaration name: (name) @name) @definition.trait
(enum_declaration name: (name) @name) @definition.enum

; Functions and methods.
(function_definition name: (name) @name) @definition.function
(method_declaration name: (name) @name
  (#not-eq? @name "__construct")) @definition.method
(method_declaration name: (name) @name
  (#eq? @name "__construct")) @definition.constructor

; Constants, properties, promoted parameters, cases.
(const_element . (name) @name) @definition.constant
(function_call_expression
  function: (name) @_define
  arguments: (arguments . (argument (string (string_content) @name)))
  (#eq? @_define "define")) @definition.constant
(property_declaration
  (property_element name: (variable_name (name) @name))) @definition.property
(property_promotion_parameter name: (variable_name (name) @name)) @definition.property
(enum_case name: (name) @name) @definition.member

; Not for others. Modifiers are no node of their own kind: the first words tell.
((const_declaration (const_element) @private) @_said
  (#match? @_said "^(#\\[[^\\]]*\\]\\s*)*(\\w+\\s+)*(private|protected)\\s"))
((method_declaration) @private
  (#match? @private "^(#\\[[^\\]]*\\]\\s*)*(\\w+\\s+)*(private|protected)\\s"))
((property_declaration) @private
  (#match? @private "^(#\\[[^\\]]*\\]\\s*)*(\\w+\\s+)*(private|protected)\\s"))
(property_promotion_parameter
  visibility: (visibility_modifier) @_visible
  (#not-eq? @_visible "public")) @private

; Relations: the last part of a qualified name.
(base_clause [(name) @reference.inherit (qualified_name (name) @reference.inherit .)])
(class_interface_clause [(name) @reference.inherit (qualified_name (name) @reference.inherit .)])
(declaration_list (use_declaration [(name) @reference.inherit (qualified_name (name) @reference.inherit .)]))
(named_type [(name) @reference.type (qualified_name (name) @reference.type .)])
(object_creation_expression [(name) @reference.type (qualified_name (name) @reference.type .)])
(class_constant_access_expression . [(name) @reference.type (qualified_name (name) @reference.type .)])
(scoped_call_expression scope: [(name) @reference.type (qualified_name (name) @reference.type .)])
(scoped_property_access_expression scope: [(name) @reference.type (qualified_name (name) @reference.type .)])
(binary_expression operator: "instanceof" right: [(name) @reference.type (qualified_name (name) @reference.type .)])
(attribute [(name) @reference.decorator (qualified_name (name) @reference.decorator .)])

; Calls.
(function_call_expression function: (name) @reference.call (#not-eq? @reference.call "define"))
(function_call_expression function: (qualified_name (name) @reference.call .))
(member_call_expression name: (name) @reference.call)
(nullsafe_member_call_expression name: (name) @reference.call)
(scoped_call_expression name: (name) @reference.call)

; What a file takes in.
(namespace_use_declaration (namespace_use_clause . (_) @module)) @import
(namespace_use_declaration
  (namespace_name) @module
  body: (namespace_use_group
    (namespace_use_clause . [(name) (namespace_name) (qualified_name)] @imported))) @import
(require_expression (string (string_content) @module)) @import
(require_once_expression (string (string_content) @module)) @import
(include_expression (string (string_content) @module)) @import
(include_once_expression (string (string_content) @module)) @import
(require_expression (binary_expression right: (string (string_content) @module))) @import
(require_once_expression (binary_expression right: (string (string_content) @module))) @import
(include_expression (binary_expression right: (string (string_content) @module))) @import
(include_once_expression (binary_expression right: (string (string_content) @module))) @import

; Documentation
(comment) @comment
(attribute_list) @attached
