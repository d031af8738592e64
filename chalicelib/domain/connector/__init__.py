"""What the service says to what it writes values through.

The protocol of a connector in the website's CMS: signatures and messages; ``docs/connector.md`` is the same for those
who write one. And Shopify's Admin API, in which it speaks to a shop.
"""
