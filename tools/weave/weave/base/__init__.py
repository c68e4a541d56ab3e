# SPDX-License-Identifier: BSL-1.0
"""What all packages use: diagnostics, files, words, TeX."""
