"""The test runner: finds tests in folders and archives, runs them in parallel, reports results."""
