"""The mixer: a second party that holds sealed reports and hands them over in an order that says nothing."""
