"""What becomes of findings: how bad they count, which are allowed or known, and how other programs
read them."""
