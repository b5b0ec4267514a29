"""Measures structures to look attribute names up in, for the attribute policy (`logsieve loadtest policy`)."""
