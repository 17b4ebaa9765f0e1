"""Trials: workloads on images, restored before each repetition."""
