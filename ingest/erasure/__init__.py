"""Erases deleted tenants from ClickHouse, the dead letters and the control plane, and proves that nothing is left."""
