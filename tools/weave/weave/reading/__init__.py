"""The authors' work: pages with claims, figures, passages, and tags in sources; joined with the record to a Book."""
