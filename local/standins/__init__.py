"""Stand-ins for the outside services: they speak the real services' wire formats on the loopback address, and can be
made to misbehave as those do."""
