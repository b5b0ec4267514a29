"""`logsieve loadtest fairness` measures one tenant while another tenant sends far over its limit."""
