"""GPUs and servers that the demands take, and which accelerator they are."""
