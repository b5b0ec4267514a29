"""Black-box tests over real services; unit tests live beside the code they test."""
