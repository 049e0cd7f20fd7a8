"""Sealed reports: a mixer between device and collector passes them on and cannot read them.

`public_key` and `envelope` are what both sides know, `seal` is the half of the device, `recipient_key`, `opening` and
`opening_process` are that of the recipient. Device code does not import the recipient's half, and a mixer imports
neither half.
"""
