"""Tests in a browser: a package, so that its browser is closed once the last of them has run."""
