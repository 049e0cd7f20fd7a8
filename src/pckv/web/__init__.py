"""The pages of a collector: the operator's dashboard, the participant's page and the JavaScript client."""
