"""How planning time grows with the number of parts, with one table and with lanes."""
