"""From load to hardware: replicas within targets, batches by a deadline, media and encoders by rate."""
