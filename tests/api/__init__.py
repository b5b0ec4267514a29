"""Black-box tests of the REST API: searches, tails, exports, limits, tenants and errors."""
