"""HTTP in: the application that clients and, later, browsers talk to. One JSON error shape, one way to be let in."""
