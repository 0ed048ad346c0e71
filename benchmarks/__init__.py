"""Speed, measured beside other public suites in the same run."""
