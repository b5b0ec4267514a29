"""Writes documents and the dashboard of Grafana from the code."""
