"""Reinforcement learning: rollouts by the serving arithmetic, updates by that of training."""
