"""Git's hooks: installing them beside other hooks, removing them, testing them."""
