"""`logsieve loadtest hostile`: attacks by clients without a key or with one, and their victims."""
