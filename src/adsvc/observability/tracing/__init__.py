"""OpenTelemetry traces. Without the variables that ask for them nothing of this is imported."""
