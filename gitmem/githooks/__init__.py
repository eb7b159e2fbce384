"""Git's hooks: installed beside other people's, removed byte for byte, fired as a self-test."""
