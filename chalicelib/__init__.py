"""Website Optimization Service: the deployable package. The README describes its subpackages."""
