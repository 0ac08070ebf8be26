"""Sorted lists of those states that occur."""
