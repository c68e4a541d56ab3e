# SPDX-License-Identifier: BSL-1.0
"""The campaign of a plan."""

from __future__ import annotations

from sqrtdk._campaign import Campaign, Plan
from sqrtdk._of_attention import AttentionCampaign
from sqrtdk._of_rows import RowCampaign


def campaign_of(plan: Plan) -> Campaign:
    """A campaign of its own."""
    return AttentionCampaign(plan) if plan.kind.startswith("attention") else RowCampaign(plan)
