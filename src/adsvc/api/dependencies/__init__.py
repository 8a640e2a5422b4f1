"""What request handlers ask for, each named by the type alias it is asked for with."""
