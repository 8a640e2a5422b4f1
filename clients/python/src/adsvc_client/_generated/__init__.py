"""Generated from openapi.json by `make clients`; not to be edited."""
