"""What every HTTP surface of ours stands on: the server, who is let in, bodies within bounds, and one shape of errors."""
