"""The choice of a training plan: every sensible split of the GPUs, memory first, then speed."""
