"""A few thousand believable logs of a small web shop: the first thing a new customer searches.

The shop runs a gateway, checkout, payments, inventory, search, sign-in and mail on a few pods, with a database, a
deployer and an alerting service beside them. About 70 minutes before the end the database connections of payments run
out; checkouts fail for twelve minutes until a new version of payments is rolled out.

All names, addresses and people are made up: example.com hosts and documentation addresses (RFC 5737, RFC 3849).
"""
