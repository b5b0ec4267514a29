"""Generated corpora and the measurements that decide Logsieve's parameters."""
