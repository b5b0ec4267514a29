"""Tests of attacks on the listening ports, against separate processes with small limits."""
