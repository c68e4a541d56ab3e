"""The woven pages: everything that the weave puts into them."""
