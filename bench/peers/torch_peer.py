"""PyTorch: channels last, fused Adam, eager (--mode torch) or compiled (--mode torch-compile)."""

import os

import common


def make_batches(o):
    import torch

    x, y = common.make_data(o, "int64")
    data_bytes = x.nbytes + y.nbytes
    x = torch.from_numpy(x)
    if o.channels:
        x = x.permute(0, 3, 1, 2)  # the bytes are those of channels last already
    return list(zip(x.split(o.batch), torch.from_numpy(y).split(o.batch))), data_bytes


def main():
    o = common.read_options()
    os.environ["OMP_NUM_THREADS"] = str(o.threads)
    import torch
    import torch_models

    torch.set_num_threads(o.threads)
    compiled = o.mode == "torch-compile"
    batches, data_bytes = make_batches(o)
    model = torch_models.build(o.model, o.size, o.classes)
    model = model.to(memory_format=torch.channels_last) if o.channels else model
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, eps=1e-7, fused=True)
    parameters = sum(t.numel() for t in model.state_dict().values() if t.dtype == torch.float32)
    loss_of = torch.nn.functional.cross_entropy
    last = {}

    def forward_loss(x, y):
        return loss_of(model(x), y)

    forward_loss = torch.compile(forward_loss) if compiled else forward_loss

    def step(i):
        x, y = batches[i % len(batches)]
        loss = forward_loss(x, y)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        last["loss"] = loss

    settings = f"torch {torch.__version__}, channels last, compile={compiled}, {o.threads} threads"
    common.measure(
        o, step, lambda: float(last["loss"].detach()), data_bytes, o.mode, settings, parameters
    )


main()
