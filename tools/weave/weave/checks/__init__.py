# SPDX-License-Identifier: BSL-1.0
"""What pages, sources and results owe each other, and which file may include which."""
