"""Commands on the installation itself."""
