"""Uploaded pictures: taken apart, decoded, encoded anew, in processes of their own."""
