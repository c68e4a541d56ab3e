# SPDX-License-Identifier: BSL-1.0
"""What tools/mutate is made of."""
