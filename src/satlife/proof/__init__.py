"""Certificates: a claim and its DRAT proofs, which can be checked without the encoder and the solvers."""
