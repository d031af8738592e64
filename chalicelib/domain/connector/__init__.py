"""The protocols through which the service writes values.

The first protocol is for a connector in the website's CMS: signatures and messages. ``docs/connector.md`` describes it
for authors of connectors. The second is Shopify's Admin API, for shops.
"""
