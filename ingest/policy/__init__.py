"""The attribute policy: takes secrets and internal headers out of requests before anything is stored."""
