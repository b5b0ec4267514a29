"""AST to predicate: the language's second evaluator, over decoded rows instead of in SQL. Pure, and knows no SQL."""
