"""Pictures of patterns."""
