"""What every part of Logsieve leans on and none of it knows: nothing here mentions a log record."""
