"""Black-box tests over real services. Unit tests are beside the code that they test."""
