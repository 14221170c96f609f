"""Games that JCloisterZone recorded, replayed on the rulesets of this project."""
