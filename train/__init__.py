"""Training agents by self-play; needs the extra `train`."""
