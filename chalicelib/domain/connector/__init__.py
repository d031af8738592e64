"""The protocols through which the service writes values.

One is the protocol of a connector in the website's CMS: signatures and messages. ``docs/connector.md`` describes it for
authors of connectors. The other is Shopify's Admin API, for shops.
"""
