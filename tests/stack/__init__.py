"""Black-box tests of the one-machine stack: real commands, real processes."""
