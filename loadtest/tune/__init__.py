"""`logsieve loadtest tune` compares indexes over the words of the body, each with several parameters."""
