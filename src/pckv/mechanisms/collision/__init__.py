"""A public function per report: constant cost with any number of keys."""
