"""Questions about the past of a pattern, by an incremental solver that assumes the cells of the target."""
