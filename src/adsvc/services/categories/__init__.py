"""Categories: the tree, the attributes that it defines, and changes of both."""
