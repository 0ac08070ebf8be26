"""Searches: find one answer; every find is simulated before anyone sees it."""
