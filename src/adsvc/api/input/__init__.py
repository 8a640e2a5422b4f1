"""What clients send: bodies, forms, parameters, filters, pages."""
