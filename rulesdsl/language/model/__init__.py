"""Plain data that passes between the stages.

It has no behaviour beyond equality, text forms and tree traversal.
"""
