"""Categories: the tree, what it says about the attributes of ads, and changes of both."""
