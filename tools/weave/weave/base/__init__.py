"""Code for all packages: diagnostics, files, words, TeX."""
