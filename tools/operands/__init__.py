"""No test is exact that compares numbers in floating point."""
