# SPDX-License-Identifier: BSL-1.0
"""The weave: joins pages and results into a book. A package may use those before it: base, record, reading, writing,
checks; drawing and rendered rest on base and record."""
