# SPDX-License-Identifier: BSL-1.0
"""What authors write: pages, their claims, figures and passages, the tags of the sources; joined with the record to a Book."""
