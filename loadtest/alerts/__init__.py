"""`logsieve loadtest alerts` measures how late alert rules are evaluated, and which notices arrive after kills."""
