"""Inner loops of counting: numpy in `planes`, compiled by numba in `loops`."""
