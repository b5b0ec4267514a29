"""What `logsieve doctor` asks a running installation, and what it makes of the answers."""
