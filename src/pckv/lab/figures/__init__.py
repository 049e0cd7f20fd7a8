"""Every figure of the paper's evaluation, as points that can be computed again."""
