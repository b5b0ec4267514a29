"""Client of the REST API with a query key, for the commands: searches, numbers, exports, tails and saved items."""
