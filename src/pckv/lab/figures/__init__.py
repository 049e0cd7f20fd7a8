"""Every figure of the paper's evaluation, as points that anybody can compute again."""
