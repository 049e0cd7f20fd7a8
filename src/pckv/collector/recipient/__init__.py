"""The collector as the recipient of mixed reports: keys, the mixer's answers, and the way of a batch into the store."""
