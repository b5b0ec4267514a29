"""Results of studies as files, and the pages of docs/benchmarks that are made of them."""
