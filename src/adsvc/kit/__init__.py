"""The platform: what a service over HTTP needs, whatever it is about.

No module here imports the product, the packages beside this one.
"""
