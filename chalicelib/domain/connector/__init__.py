"""The protocol between the service and a connector in the website's CMS or shop: signatures and messages.

``docs/connector.md`` is the same for those who write a connector.
"""
