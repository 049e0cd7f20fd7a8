"""Planning a collection: the people, predicted errors, the choice of mechanism and padding, and a plan."""
