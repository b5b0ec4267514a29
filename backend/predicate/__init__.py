"""Compiles a query to a predicate over decoded rows: the language's second evaluator beside SQL. Pure."""
