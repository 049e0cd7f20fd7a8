"""The pages: the operator's dashboard, the participant's page, and the JavaScript client that they load."""
