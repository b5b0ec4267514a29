"""`logsieve loadtest policy` measures what attribute rules and redactions cost the receiver."""
