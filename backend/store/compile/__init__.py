"""AST to SQL: a boolean ClickHouse expression with server-side parameters. Pure: executes nothing."""
