"""Full, LoRA and QLoRA fine-tuning: memory, fewest GPUs, speed."""
