"""Record what PyTorch's allocator gives out and takes back in training steps, as a packing problem.

Usage: trace_torch.py MODEL BATCH SIDE OUT.csv [--compile] [--weights] [--steps N] [--align N]

A buffer is what lay between an allocation and its release.  Without --weights, what the steps found there and what
outlives them is left out: it belongs to the model and its optimizer."""

import time

import torch
from torch.profiler import ProfilerActivity, profile
from trace_csv import arguments, write_problem
from trace_models import MODELS, batch_of


def read_allocations(prof):
    """(time, address, bytes) of every allocation, negative bytes for a release, in order of time."""
    events = []
    todo = list(prof.profiler.kineto_results.experimental_event_tree())
    while todo:
        event = todo.pop()
        todo += event.children
        if event.tag == torch._C._profiler._EventType.Allocation:
            fields = event.extra_fields
            events.append((event.start_time_ns, fields.ptr, fields.alloc_size))
    return sorted(events, key=lambda e: e[0])


def lifespans(events, with_weights):
    """(lower, upper, bytes): what is never released lives to the end."""
    buffers = []
    alive = {}
    for moment, (_, address, size) in enumerate(events):
        if size > 0:
            alive[address] = (moment, size)
        elif address in alive:
            lower, size = alive.pop(address)
            buffers.append((lower, moment, size))
    if with_weights:
        buffers += [(lower, len(events), size) for lower, size in alive.values()]
    return buffers


def main():
    parser = arguments(sorted(MODELS))
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--steps", type=int, default=1)
    args = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    start = time.time()

    def prepare():
        model = MODELS[args.model]()
        optimizer = torch.optim.Adam(model.parameters(), foreach=False)
        return model, optimizer

    x, y = batch_of(args.model, args.batch, args.side)

    def step(run, optimizer):
        optimizer.zero_grad(set_to_none=True)
        torch.nn.functional.cross_entropy(run(x), y).backward()
        optimizer.step()

    model, optimizer = prepare()
    run = torch.compile(model) if args.compile else model
    if args.compile:
        step(run, optimizer)
    if args.weights and args.compile:
        raise SystemExit("trace_torch.py: --weights is for eager steps: compiled ones need a first step")
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as prof:
        if args.weights:
            model, optimizer = prepare()
            run = model
        for _ in range(args.steps):
            step(run, optimizer)
    buffers = lifespans(read_allocations(prof), args.weights)
    write_problem(args.out, buffers, args.align)
    print(f"{args.out}: {len(buffers)} buffers, {time.time() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
