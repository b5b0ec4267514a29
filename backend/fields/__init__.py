"""Lists the fields of logs and their values, for facets and completion."""
