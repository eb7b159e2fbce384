; Besides c_family.scm: what stays in its file.
(function_definition (storage_class_specifier) @_static (#eq? @_static "static")) @private
(declaration (storage_class_specifier) @_static (#eq? @_static "static")) @private
