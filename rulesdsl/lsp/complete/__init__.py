"""What can be written at a place, also where what stands there cannot be read yet."""
