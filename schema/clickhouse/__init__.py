"""The log store's tables, as they should be and by which steps they came to be."""
