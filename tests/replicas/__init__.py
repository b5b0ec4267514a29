"""Tests of a log store whose shards have several replicas."""
