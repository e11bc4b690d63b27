"""The same with tf.data or PyTorch: decode, resize to 224x224, divide by 255, in batches of 32, shuffled.

Usage: peer.py tf|torch FOLDER [--size 224] [--batch 32] [--workers N] [--passes 2]

tf: tf.data with AUTOTUNE, as image_dataset_from_directory reads a folder.  torch: ImageFolder with Pillow and a DataLoader of N
worker processes (0: in the process itself).  One line of JSON: images per second of the fastest pass behind the first, the peak
of resident memory of all processes together, the mean of all values.
"""
import argparse
import json
import os
import threading
import time


def resident(pid):
    """Bytes of a process that no other one shares, and its part of what they share."""
    try:
        with open("/proc/%d/smaps_rollup" % pid) as f:
            return 1024 * sum(int(line.split()[1]) for line in f if line.startswith("Pss:"))
    except OSError:
        return 0


def children(pid):
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
            return [int(n) for n in f.read().split()]
    except OSError:
        return []


class Peak(threading.Thread):
    """Watches this process and its children, ten times a second."""

    def __init__(self):
        super().__init__(daemon=True)
        self.bytes = 0
        self.start()

    def run(self):
        me = os.getpid()
        while True:
            self.bytes = max(self.bytes, resident(me) + sum(resident(c) for c in children(me)))
            time.sleep(0.1)


def tf_batches(o):
    os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
    import tensorflow as tf

    files = sorted(tf.io.gfile.glob(os.path.join(o.folder, "*", "*.jpg")))
    classes = sorted(os.listdir(o.folder))
    labels = [classes.index(os.path.basename(os.path.dirname(f))) for f in files]

    def load(path, label):
        image = tf.io.decode_image(tf.io.read_file(path), channels=3, expand_animations=False)
        image = tf.image.resize(image, (o.size, o.size))
        image.set_shape((o.size, o.size, 3))
        return image * (1 / 255), label

    data = tf.data.Dataset.from_tensor_slices((files, labels)).shuffle(len(files), seed=1)
    data = data.map(load, num_parallel_calls=tf.data.AUTOTUNE).batch(o.batch).prefetch(tf.data.AUTOTUNE)
    return len(files), data, lambda x: float(tf.reduce_mean(x))


def torch_batches(o):
    import torch
    from torchvision import datasets, transforms

    torch.set_num_threads(1)
    how = transforms.Compose([transforms.Resize((o.size, o.size)), transforms.ToTensor()])
    data = datasets.ImageFolder(o.folder, how)
    loader = torch.utils.data.DataLoader(data, batch_size=o.batch, shuffle=True, num_workers=o.workers,
                                         persistent_workers=o.workers > 0)
    return len(data), loader, lambda x: float(x.mean())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", choices=("tf", "torch"))
    parser.add_argument("folder")
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--passes", type=int, default=2)
    o = parser.parse_args()
    peak = Peak()
    n, data, mean_of = tf_batches(o) if o.peer == "tf" else torch_batches(o)
    mean = sum(mean_of(x) * len(y) for x, y in data) / n
    seconds = []
    for _ in range(o.passes):
        begin = time.perf_counter()
        count = sum(len(y) for _, y in data)
        seconds.append(time.perf_counter() - begin)
        assert count == n, "%d of %d images" % (count, n)
    print(json.dumps({"images_per_second": n / min(seconds), "images": n, "peak_bytes": peak.bytes,
                      "mean": mean}))


main()
