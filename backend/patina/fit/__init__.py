"""The fit slice: a distribution for the bars of a histogram, or bars for a distribution. Nothing is stored."""
