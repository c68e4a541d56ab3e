"""What all packages use: diagnostics, files, words, TeX."""
