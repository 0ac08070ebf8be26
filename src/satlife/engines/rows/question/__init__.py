"""What is asked of a search row by row: the order of rows, the columns, and the box around them."""
