"""Servers put up on a site: networks, facility, support machines and the bill, whatever asked for them."""
