"""Which fields logs have, and which values: for facets and completion."""
