"""Many live tails on one backend process: `logsieve loadtest tail`."""
