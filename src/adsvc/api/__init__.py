"""The HTTP interface: the endpoints, the pipeline before them, and the document.

`adsvc.kit.http` speaks the protocol, and `adsvc.main` connects the two.
"""
