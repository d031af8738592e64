"""What a website can send to stop, slow or fill up whoever reads it."""
