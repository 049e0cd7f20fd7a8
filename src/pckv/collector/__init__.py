"""The collector: takes reports over HTTP, keeps them, and gives estimates."""
