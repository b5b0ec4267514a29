"""Drops partitions past their retention."""
