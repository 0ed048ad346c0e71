"""Search on worlds that a seat has to reckon with, and the default policies of its playouts."""
