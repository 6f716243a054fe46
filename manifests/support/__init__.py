"""Project code of the examples: a tool, the database it reads, and a plugin."""
