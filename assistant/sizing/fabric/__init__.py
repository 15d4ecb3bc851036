"""Networks: leaf-spine arithmetic, storage fabric, cabling by switch, bus bandwidths to accept."""
