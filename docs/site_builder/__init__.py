"""What `make docs` runs: pages put together, checked and built into a site."""
