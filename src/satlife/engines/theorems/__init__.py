"""The engine of theorems: what needs no search."""
