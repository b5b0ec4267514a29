"""Choice of the replica that a statement reads: it answers, and it has all rows that earlier statements found."""
