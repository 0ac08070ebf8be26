"""Oscillators out of random symmetric soups."""
