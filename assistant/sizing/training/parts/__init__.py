"""What a training job is made of: request, model shape, plan, pipeline stages and schedule."""
