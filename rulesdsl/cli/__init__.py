"""The command line, which only translates between people and the other packages.

This folder imports every other folder.
"""
