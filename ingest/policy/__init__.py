"""The attribute policy: removes secrets and internal headers from requests before anything is stored."""
