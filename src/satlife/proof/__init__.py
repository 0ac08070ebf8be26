"""Certificates: what was claimed, why it holds, and checking it without the encoder and the solvers."""
