"""All windows that a search can reach, as evidence that there is no ship."""
