; Types
(struct_item name: (type_identifier) @name) @definition.struct
(union_item name: (type_identifier) @name) @definition.union
(enum_item name: (type_identifier) @name) @definition.enum
(enum_variant name: (identifier) @name) @definition.constant
(trait_item name: (type_identifier) @name) @definition.trait
(type_item name: (type_identifier) @name) @definition.type
(associated_type name: (type_identifier) @name) @definition.type
(field_declaration name: (field_identifier) @name) @definition.field

; Functions; those of an implementation belong to its type
(function_item name: (identifier) @name) @definition.function
(function_signature_item name: (identifier) @name) @definition.function
(impl_item type: [
  (type_identifier) @name
  (primitive_type) @name
  (generic_type type: (type_identifier) @name)
  (generic_type type: (scoped_type_identifier name: (type_identifier) @name))
  (scoped_type_identifier name: (type_identifier) @name)
  (reference_type type: (type_identifier) @name)
  (reference_type type: (generic_type type: (type_identifier) @name))
  (tuple_type) @name
  (array_type) @name]) @scope

(mod_item name: (identifier) @name) @definition.module
(macro_definition name: (identifier) @name) @definition.macro
(const_item name: (identifier) @name (#not-eq? @name "_")) @global.constant
(static_item name: (identifier) @name) @global.variable

; Exports
([(struct_item (visibility_modifier) @_pub)
  (union_item (visibility_modifier) @_pub)
  (enum_item (visibility_modifier) @_pub)
  (trait_item (visibility_modifier) @_pub)
  (type_item (visibility_modifier) @_pub)
  (field_declaration (visibility_modifier) @_pub)
  (function_item (visibility_modifier) @_pub)
  (function_signature_item (visibility_modifier) @_pub)
  (mod_item (visibility_modifier) @_pub)
  (const_item (visibility_modifier) @_pub)
  (static_item (visibility_modifier) @_pub)] @exported
  (#eq? @_pub "pub"))
(enum_variant) @exported
(enum_variant body: (field_declaration_list (field_declaration) @exported))
(trait_item body: (declaration_list
  [(function_item) (function_signature_item) (const_item) (associated_type)] @exported))
(impl_item trait: (_) body: (declaration_list [(function_item) (const_item) (type_item)] @exported))
((attribute_item (attribute (identifier) @_attribute)) . (macro_definition) @exported
  (#eq? @_attribute "macro_export"))

[(line_comment) (block_comment)] @comment
(attribute_item) @attached

; References
(call_expression function: (identifier) @reference.call)
(call_expression function: (field_expression field: (field_identifier) @reference.call))
(call_expression function: (scoped_identifier name: (identifier) @reference.call))
(call_expression function: (generic_function function: (identifier) @reference.call))
(call_expression function:
  (generic_function function: (scoped_identifier name: (identifier) @reference.call)))
(call_expression function:
  (generic_function function: (field_expression field: (field_identifier) @reference.call)))
(macro_invocation macro: (identifier) @reference.call)
(macro_invocation macro: (scoped_identifier name: (identifier) @reference.call))
(attribute_item (attribute (identifier) @reference.decorator))
(attribute_item (attribute (scoped_identifier name: (identifier) @reference.decorator)))
(impl_item trait: (type_identifier) @reference.inherit)
(impl_item trait: (generic_type type: (type_identifier) @reference.inherit))
(impl_item trait: (scoped_type_identifier name: (type_identifier) @reference.inherit))
(trait_item bounds: (trait_bounds (type_identifier) @reference.inherit))
(type_identifier) @reference.type

; Imports
(use_declaration argument: (identifier) @module) @import
(use_declaration argument: (scoped_identifier path: (_) @module name: (identifier) @imported)) @import
(use_declaration argument: (use_wildcard (_) @module)) @import
(use_declaration argument:
  (use_as_clause path: (scoped_identifier path: (_) @module name: (identifier) @imported))) @import
(use_declaration argument: (scoped_use_list path: (_) @module)) @import
(scoped_use_list
  path: (_) @module
  list: (use_list
    [(identifier) @imported
     (scoped_identifier) @imported
     (use_as_clause path: (_) @imported)])) @import
(extern_crate_declaration name: (identifier) @module) @import
; What a macro is given is no more than tokens: a name before parentheses is taken for a call.
(token_tree (identifier) @reference.call . (token_tree . "("))
