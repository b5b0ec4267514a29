"""HTTP servers that face clients without a key: limits on connections and requests, certificates, compression."""
