"""A complete depth-first search over the cells of a box, with clause learning."""
