"""The records of the interface, named as in it. (`models` are the tables.)"""
