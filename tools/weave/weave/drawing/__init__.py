# SPDX-License-Identifier: BSL-1.0
"""Figures as files, and as parts of a page."""
