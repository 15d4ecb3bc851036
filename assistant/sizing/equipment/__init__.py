"""Servers and switches: rated figures, the choice of a server, nodes beside the GPU nodes."""
