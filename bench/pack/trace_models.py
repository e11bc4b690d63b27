"""The networks whose training steps trace_torch.py records, written as a user of PyTorch writes them."""

import torch
from torch import nn
from torch.nn import functional as F


def conv(inputs, outputs, size, stride=1, groups=1, act=True):
    """A convolution without bias, batch normalization and, if wanted, ReLU."""
    layers = [nn.Conv2d(inputs, outputs, size, stride, size // 2, groups=groups, bias=False), nn.BatchNorm2d(outputs)]
    return nn.Sequential(*layers, *([nn.ReLU(inplace=True)] if act else []))


class Bottleneck(nn.Module):
    def __init__(self, inputs, width, stride):
        super().__init__()
        middle = conv(width, width, 3, stride)
        self.main = nn.Sequential(conv(inputs, width, 1), middle, conv(width, 4 * width, 1, act=False))
        is_same = stride == 1 and inputs == 4 * width
        self.skip = nn.Identity() if is_same else conv(inputs, 4 * width, 1, stride, act=False)

    def forward(self, x):
        return F.relu(self.main(x) + self.skip(x))


def resnet(blocks):
    layers = [conv(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1)]
    inputs = 64
    for stage, n in enumerate(blocks):
        for i in range(n):
            layers.append(Bottleneck(inputs, 64 << stage, 2 if i == 0 and stage else 1))
            inputs = 256 << stage
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, 1000))


class Inverted(nn.Module):
    def __init__(self, inputs, outputs, stride, widen):
        super().__init__()
        middle = inputs * widen
        wide = [conv(inputs, middle, 1)] if widen > 1 else []
        self.main = nn.Sequential(*wide, conv(middle, middle, 3, stride, middle), conv(middle, outputs, 1, act=False))
        self.is_same = stride == 1 and inputs == outputs

    def forward(self, x):
        return x + self.main(x) if self.is_same else self.main(x)


def mobilenet():
    layers = [conv(3, 32, 3, 2)]
    inputs = 32
    stages = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]
    for widen, outputs, n, stride in stages:
        for i in range(n):
            layers.append(Inverted(inputs, outputs, stride if i == 0 else 1, widen))
            inputs = outputs
    return nn.Sequential(*layers, conv(320, 1280, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1280, 1000))


class Dense(nn.Module):
    def __init__(self, inputs):
        super().__init__()
        self.main = nn.Sequential(
            nn.BatchNorm2d(inputs), nn.ReLU(), nn.Conv2d(inputs, 128, 1, bias=False),
            nn.BatchNorm2d(128), nn.ReLU(), nn.Conv2d(128, 32, 3, padding=1, bias=False))

    def forward(self, x):
        return torch.cat([x, self.main(x)], 1)


def densenet(blocks):
    layers = [conv(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1)]
    width = 64
    for stage, n in enumerate(blocks):
        for _ in range(n):
            layers.append(Dense(width))
            width += 32
        if stage + 1 < len(blocks):
            layers += [nn.BatchNorm2d(width), nn.ReLU(), nn.Conv2d(width, width // 2, 1, bias=False), nn.AvgPool2d(2)]
            width //= 2
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 1000))


class UNet(nn.Module):
    def __init__(self, width=32, depth=4):
        super().__init__()
        sizes = [width << i for i in range(depth + 1)]
        self.down = nn.ModuleList(self.pair(a, b) for a, b in zip([3] + sizes, sizes))
        self.up = nn.ModuleList(nn.ConvTranspose2d(b, a, 2, 2) for a, b in zip(sizes, sizes[1:]))
        self.merge = nn.ModuleList(self.pair(2 * a, a) for a in sizes[:-1])
        self.head = nn.Conv2d(width, 2, 1)

    @staticmethod
    def pair(inputs, outputs):
        return nn.Sequential(conv(inputs, outputs, 3), conv(outputs, outputs, 3))

    def forward(self, x):
        kept = []
        for i, block in enumerate(self.down):
            x = block(x if i == 0 else F.max_pool2d(x, 2))
            kept.append(x)
        for i in reversed(range(len(self.up))):
            x = self.merge[i](torch.cat([kept[i], self.up[i](x)], 1))
        return self.head(x).mean((2, 3))


class Transformer(nn.Module):
    def __init__(self, layers, width=256, words=5000):
        super().__init__()
        layer = nn.TransformerEncoderLayer(width, 4, 4 * width, batch_first=True, norm_first=True)
        self.embed = nn.Embedding(words, width)
        self.main = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Linear(width, 1000)

    def forward(self, x):
        return self.head(self.main(self.embed(x)).mean(1))


class LSTM(nn.Module):
    """Cell by cell, as one writes one's own recurrent network."""

    def __init__(self, width=128, words=5000):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.cell = nn.LSTMCell(width, width)
        self.head = nn.Linear(width, 1000)

    def forward(self, x):
        h = c = torch.zeros(x.shape[0], self.cell.hidden_size)
        for word in self.embed(x).unbind(1):
            h, c = self.cell(word, (h, c))
        return self.head(h)


MODELS = {
    "resnet50": lambda: resnet([3, 4, 6, 3]),
    "resnet152": lambda: resnet([3, 8, 36, 3]),
    "mobilenet": mobilenet,
    "densenet121": lambda: densenet([6, 12, 24, 16]),
    "densenet201": lambda: densenet([6, 12, 48, 32]),
    "unet": UNet,
    "transformer": lambda: Transformer(4),
    "transformer24": lambda: Transformer(24),
    "lstm": LSTM,
}


def batch_of(name, size, side):
    """Inputs and labels; for text, `side` is the number of words."""
    if name.startswith(("transformer", "lstm")):
        return torch.randint(5000, (size, side)), torch.randint(1000, (size,))
    n_classes = 2 if name == "unet" else 1000
    return torch.randn(size, 3, side, side), torch.randint(n_classes, (size,))
