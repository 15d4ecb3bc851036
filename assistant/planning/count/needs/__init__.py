"""What one demand needs of one accelerator: replicas, instances, GPUs of a batch or of a training job."""
