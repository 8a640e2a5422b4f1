"""The storefront's pages for browsers, search engines and feed readers."""
