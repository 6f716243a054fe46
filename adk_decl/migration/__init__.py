"""Old and foreign spellings to ours, as text edits that keep comments and everything else."""
