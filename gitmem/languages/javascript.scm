; Besides ecma.scm: fields, and what a class extends.
(field_definition
  property: [(property_identifier) (private_property_identifier)] @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]
) @definition.method
(field_definition
  property: [(property_identifier) (private_property_identifier)] @name) @definition.field
(field_definition property: (private_property_identifier)) @private
(method_definition name: (private_property_identifier)) @private
(class_heritage (identifier) @reference.inherit)
(class_heritage (member_expression property: (property_identifier) @reference.inherit))
(class_heritage (call_expression arguments: (arguments (identifier) @reference.inherit)))
