"""Groups matching messages into patterns: templates that several messages share."""
