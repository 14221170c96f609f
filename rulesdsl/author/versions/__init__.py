"""Two versions of a ruleset: what differs, whether games do, and what the number may be."""
