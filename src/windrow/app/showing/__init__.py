"""What `windrow demo` shows: something real for every page of the console, the unpleasant included."""
