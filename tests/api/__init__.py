"""Tests of the REST API and the receiver from outside: refused requests and their error texts."""
