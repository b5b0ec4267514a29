"""The faults study on several replicas: what searches notice while servers and loaders fail one after the other."""
