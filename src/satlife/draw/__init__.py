"""Pictures and animations of patterns and questions."""
