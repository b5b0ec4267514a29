"""What was tried for the attribute policy's look-up, a file each; the one that is used is ingest.policy.policy."""
