"""What a process counts of its work, and how it tells the exporter (see `adsvc.exporter`)."""
