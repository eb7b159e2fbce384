"""Small wrong changes of the program, and the tests that have to notice them."""
