"""From a tally to estimates: methods, intervals, postprocessing, and the result."""
