"""What the generators of several desks share. Pure functions and frozen vocabularies."""
