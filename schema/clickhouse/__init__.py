"""The log store's tables: their present definitions and their migrations."""
