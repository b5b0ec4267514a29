"""The query language: text to AST and back. Pure: no SQL, no HTTP, no I/O."""
