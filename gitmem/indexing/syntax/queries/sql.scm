; Tables and what is like one; their columns are fields.
(create_table (object_reference name: (_) @name) (column_definitions)? @body) @definition.table
(create_view (object_reference name: (_) @name) (create_query)? @body) @definition.view
(create_materialized_view
  (object_reference name: (_) @name)
  (create_query)? @body) @definition.view
(create_table (column_definitions (column_definition name: (_) @name) @definition.field))
(alter_table
  (object_reference name: (_) @container)
  (add_column (column_definition name: (_) @name) @definition.field))

; What is left of a table or a trigger which a dialect writes in its own way.
(ERROR (keyword_table) . (object_reference name: (_) @name) @definition.table)
(ERROR (keyword_trigger) . (object_reference name: (_) @name) @definition.trigger)
(ERROR (keyword_view) . (object_reference name: (_) @name) @definition.view)

; Routines and triggers.
(create_function (object_reference name: (_) @name) (function_body)? @body) @definition.function
(create_procedure (object_reference name: (_) @name) (procedure_body)? @body) @definition.function
(create_trigger . (_)* (keyword_trigger) (object_reference name: (_) @name)
  . [(keyword_before) (keyword_after) (keyword_instead)]) @definition.trigger

; Types, schemas and the rest.
(create_type (object_reference name: (_) @name)) @definition.type
(create_schema (identifier) @name .) @definition.namespace
(create_index column: (identifier) @name) @definition.index
(create_sequence (object_reference name: (_) @name)) @definition.variable
(cte (identifier) @name) @definition.variable

; Relations: tables that are read, written or pointed at.
(relation (object_reference name: (_) @reference.type))
(insert (object_reference name: (_) @reference.type))
(from (object_reference name: (_) @reference.type))
(alter_table (object_reference name: (_) @reference.type))
(create_index (keyword_on) . (object_reference name: (_) @reference.type))
(create_trigger (keyword_on) . (object_reference name: (_) @reference.type))
(column_definition (keyword_references) . (object_reference name: (_) @reference.type))
(constraint (keyword_references) . (object_reference name: (_) @reference.type))

; Calls.
(invocation . (object_reference name: (_) @reference.call))
(create_trigger (keyword_execute) (object_reference name: (_) @reference.call))

; Documentation
[(comment) (marginalia)] @comment
