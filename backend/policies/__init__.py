"""The attribute policy's rules: listed, added and removed by operators; receivers apply them (ingest/policy)."""
