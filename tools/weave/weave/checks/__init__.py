"""What pages, sources and results owe each other, and which file may include which."""
