"""The command line: it only translates between people and `rulesdsl.play`."""
