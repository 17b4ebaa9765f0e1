"""The fit slice: fits a distribution to a histogram's bars, or makes bars of a distribution. Stores nothing."""
