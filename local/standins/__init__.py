"""Stand-ins: simulated outside services.

They speak the real services' wire formats on the loopback address, and can be made to fail like the real services.
"""
