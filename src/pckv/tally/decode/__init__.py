"""From counts to support: one file per mechanism whose words need decoding."""
