"""Near-equilibrium strategies of games that are small enough, and the scripts that compute them."""
