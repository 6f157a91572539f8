"""Trains a linear model over gloo on every replica; all ranks must end with the same weights."""

import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def batch(step, rank):
    """The same inputs in every run, different ones on every rank and step."""
    generator = torch.Generator().manual_seed(1000 * step + rank)
    inputs = torch.randn(64, 4, generator=generator)
    targets = inputs @ torch.tensor([[1.0], [-2.0], [3.0], [-4.0]]) + 5.0
    return inputs, targets


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    # Ranks start apart on purpose: DDP has to bring them to rank 0's weights.
    torch.manual_seed(rank)
    model = DistributedDataParallel(torch.nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    print(f"rank {rank} of {dist.get_world_size()}, master {os.environ['MASTER_ADDR']}", flush=True)

    for step in range(1, 51):
        inputs, targets = batch(step, rank)
        loss = torch.nn.functional.mse_loss(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            # The mean over all ranks, so that every rank prints the same number.
            total = loss.detach().clone()
            dist.all_reduce(total)
            print(f"rank {rank} step {step} loss {total.item() / dist.get_world_size():.6g}", flush=True)

    weights = " ".join(f"{w:.6f}" for p in model.parameters() for w in p.detach().flatten().tolist())
    print(f"rank {rank} weights {weights}", flush=True)
    # The end of rank 0 is the end of the job, and takes the pods of those that have not said theirs.
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
