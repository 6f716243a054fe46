"""The built-in components."""
