"""The benchmark: adsvc beside floors that do the same work with nothing around it."""
