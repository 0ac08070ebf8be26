"""What is sought: Problems, the families that make them, symmetry, and the check of an answer.  No SAT in sight."""
