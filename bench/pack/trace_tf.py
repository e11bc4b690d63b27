"""Record what TensorFlow's executor takes and gives back in a training step, as its timeline has it, as a packing
problem.

Usage: trace_tf.py MODEL BATCH SIDE OUT.csv [--weights] [--steps N] [--align N]

A buffer is what lay between an allocation and its release in the trace of the run (RunMetadata, FULL_TRACE).  With
--weights the variables are there too, for the whole time."""

import os
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf
from trace_csv import arguments, write_problem

v1 = tf.compat.v1
v1.disable_eager_execution()


def variable(shape):
    return v1.get_variable(f"v{len(v1.global_variables())}", shape, tf.float32)


def normalize(x):
    width = x.shape[-1]
    return v1.nn.fused_batch_norm(x, variable([width]), variable([width]), is_training=True)[0]


def conv(x, width, size, stride=1):
    kernel = variable([size, size, x.shape[-1], width])
    return tf.nn.conv2d(x, kernel, stride, "SAME")


def depthwise(x, stride):
    return tf.nn.depthwise_conv2d(x, variable([3, 3, x.shape[-1], 1]), [1, stride, stride, 1], "SAME")


def bottleneck(x, width, stride):
    y = tf.nn.relu(normalize(conv(x, width, 1)))
    y = tf.nn.relu(normalize(conv(y, width, 3, stride)))
    y = normalize(conv(y, 4 * width, 1))
    is_same = stride == 1 and x.shape[-1] == 4 * width
    return tf.nn.relu(y + (x if is_same else normalize(conv(x, 4 * width, 1, stride))))


def resnet(x, blocks):
    x = tf.nn.max_pool2d(tf.nn.relu(normalize(conv(x, 64, 7, 2))), 3, 2, "SAME")
    for stage, n in enumerate(blocks):
        for i in range(n):
            x = bottleneck(x, 64 << stage, 2 if i == 0 and stage else 1)
    return x


def densenet(x, blocks):
    x = tf.nn.max_pool2d(tf.nn.relu(normalize(conv(x, 64, 7, 2))), 3, 2, "SAME")
    for stage, n in enumerate(blocks):
        for _ in range(n):
            y = conv(tf.nn.relu(normalize(x)), 128, 1)
            x = tf.concat([x, conv(tf.nn.relu(normalize(y)), 32, 3)], -1)
        if stage + 1 < len(blocks):
            x = tf.nn.avg_pool2d(conv(tf.nn.relu(normalize(x)), x.shape[-1] // 2, 1), 2, 2, "SAME")
    return x


def mobilenet(x):
    x = tf.nn.relu6(normalize(conv(x, 32, 3, 2)))
    stages = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2)]
    for widen, width, n, stride in stages:
        for i in range(n):
            y = tf.nn.relu6(normalize(conv(x, x.shape[-1] * widen, 1)))
            y = tf.nn.relu6(normalize(depthwise(y, stride if i == 0 else 1)))
            y = normalize(conv(y, width, 1))
            x = x + y if i else y
    return x


MODELS = {
    "resnet50": lambda x: resnet(x, [3, 4, 6, 3]),
    "resnet152": lambda x: resnet(x, [3, 8, 36, 3]),
    "densenet121": lambda x: densenet(x, [6, 12, 24, 16]),
    "densenet201": lambda x: densenet(x, [6, 12, 48, 32]),
    "mobilenet": mobilenet,
}


def read_buffers(metadata):
    """(lower, upper, bytes): per node and allocator, a release ends the oldest allocation of as many bytes."""
    buffers = []
    for device in metadata.step_stats.dev_stats:
        for node in device.node_stats:
            for memory in node.memory:
                alive = {}
                for record in memory.allocation_records:
                    if record.alloc_bytes > 0:
                        alive.setdefault(record.alloc_bytes, []).append(record.alloc_micros)
                    elif alive.get(-record.alloc_bytes):
                        lower = alive[-record.alloc_bytes].pop(0)
                        buffers.append((lower, max(record.alloc_micros, lower + 1), -record.alloc_bytes))
    return buffers


def main():
    parser = arguments(sorted(MODELS))
    parser.add_argument("--steps", type=int, default=1)
    args = parser.parse_args()
    start = time.time()
    x = tf.random.normal([args.batch, args.side, args.side, 3])
    features = tf.reduce_mean(MODELS[args.model](x), [1, 2])
    logits = tf.matmul(features, variable([features.shape[-1], 1000]))
    labels = tf.zeros([args.batch], tf.int32)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    train = v1.train.AdamOptimizer().minimize(loss)
    options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
    config = v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    buffers = []
    with v1.Session(config=config) as session:
        session.run(v1.global_variables_initializer())
        for i in range(args.steps + 1):  # the first one makes what stays
            metadata = v1.RunMetadata()
            session.run(train, options=options, run_metadata=metadata)
            buffers = buffers + read_buffers(metadata) if i else []
    if args.weights:
        first = min(lower for lower, _, _ in buffers)
        end = max(upper for _, upper, _ in buffers)
        buffers += [(first, end, 4 * v.shape.num_elements() or 4) for v in v1.global_variables()]
    write_problem(args.out, buffers, args.align)
    print(f"{args.out}: {len(buffers)} buffers, {time.time() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
