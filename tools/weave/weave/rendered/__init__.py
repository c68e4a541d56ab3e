# SPDX-License-Identifier: BSL-1.0
"""The finished book: HTML in, HTML out."""
