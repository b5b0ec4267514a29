"""`logsieve loadtest tail` opens many live tails on one backend process."""
