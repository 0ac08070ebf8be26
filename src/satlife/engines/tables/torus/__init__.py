"""What is different on a torus: the first rows, and closed walks."""
