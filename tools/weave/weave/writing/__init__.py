# SPDX-License-Identifier: BSL-1.0
"""The woven pages: everything that the weave puts into them."""
