"""Fits a line to points by gradient descent, and prints what a training prints. For the pictures of docs/."""
import os
import random
import sys
import time

steps = int(sys.argv[1])
fails_at = int(sys.argv[2]) if len(sys.argv) > 2 else 0
first_rate = float(sys.argv[3]) if len(sys.argv) > 3 else 0.08
rank = int(os.environ.get("RANK", "0"))
random.seed(7)
points = [(x, 3 * x + 1 + random.gauss(0, 0.5)) for x in (random.random() for _ in range(200))]
slope = bias = 0.0
for step in range(1, steps + 1):
    rate = first_rate * (1 - step / (steps + 1))
    batch = random.sample(points, 20)
    errors = [slope * x + bias - y for x, y in batch]
    loss = sum(e * e for e in errors) / len(batch)
    slope -= rate * 2 * sum(e * x for e, (x, _) in zip(errors, batch)) / len(batch)
    bias -= rate * 2 * sum(errors) / len(batch)
    if step == fails_at and rank == 0:
        raise RuntimeError(f"CUDA error: device-side assert triggered at step {step}")
    print(f"step {step}/{steps}  loss: {loss:.4f}  lr: {rate:.2e}", flush=True)
    time.sleep(0.05)
