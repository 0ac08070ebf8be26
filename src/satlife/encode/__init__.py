"""The encoder: from a Problem to clauses, and from a model back to generations."""
