"""What requests bring: bodies, forms, parameters, filters, pages."""
