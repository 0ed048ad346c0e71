"""What all games share: kernels, chance, layouts, options, records and the environments' faces."""
