"""The contract of patina-core's input and output, one module for each group of commands. Examples: native/contract."""
