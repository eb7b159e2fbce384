"""Git's hooks: installed beside other hooks, removed byte for byte, and tested by running them."""
