"""Places: what comes with adsvc, what operators load, and how they are found."""
