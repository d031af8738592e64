"""Website Optimization Service: the deployable package (see the README for its rooms)."""
