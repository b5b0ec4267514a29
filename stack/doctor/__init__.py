"""Checks of a running installation, for `logsieve doctor`."""
