"""The command line: ``harness``. A module per group of commands; what they do is imported when they run."""
