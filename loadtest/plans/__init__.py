"""Which plan finds a page fastest: over our table and others', local and over shards, by engines of two ages."""
