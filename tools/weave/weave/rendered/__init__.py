"""The finished book: HTML in, HTML out."""
