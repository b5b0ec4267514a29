"""The one-machine stack and the `logsieve` command."""
