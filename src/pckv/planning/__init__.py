"""Planning a collection: objective, predicted errors, tuned parameters, choice of mechanism, set sizes, plan."""
