"""Search: from query text and a scope to pages, histograms and single records."""
