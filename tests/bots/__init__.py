"""Programs in other processes that the tests of agents start."""
