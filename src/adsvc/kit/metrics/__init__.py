"""Metrics of several processes, for Prometheus: snapshots, their publisher, the exporter."""
