"""What the OpenAPI document says, held against what is answered."""
