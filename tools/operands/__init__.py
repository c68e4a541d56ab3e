# SPDX-License-Identifier: BSL-1.0
"""No test is exact that compares numbers in floating point."""
