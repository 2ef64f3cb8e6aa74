"""The JSON API `/api/v1`: everything that the command line does, for programs and for the console."""
