"""The pages for browsers, search engines and feed readers."""
