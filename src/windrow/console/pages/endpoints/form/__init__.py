"""A form that is drawn from a connector's configuration, and read back into one."""
