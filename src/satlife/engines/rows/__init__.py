"""Row by row: ships of a given width and any length."""

STRATEGY, SOLVER = "row by row", "table"
