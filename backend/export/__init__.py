"""Export: everything that matches, as one stream."""
