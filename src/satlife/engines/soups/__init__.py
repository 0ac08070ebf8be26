"""The soup engine: oscillators from random symmetric soups."""
