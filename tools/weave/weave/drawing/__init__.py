"""Figures as files, and as parts of a page."""
