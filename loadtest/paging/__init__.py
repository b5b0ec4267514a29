"""Pages read while records arrive: `logsieve loadtest paging`."""
