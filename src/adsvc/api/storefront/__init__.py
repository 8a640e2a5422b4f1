"""The pages that people see: the built single-page app, and what search engines are told of it."""
