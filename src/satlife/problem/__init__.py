"""What is sought: problems, their families, symmetries, and the check of a solution.  Nothing here knows of SAT."""
