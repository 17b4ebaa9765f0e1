"""What patina-core reads and prints, one module a group of commands. native/contract holds an example of each."""
