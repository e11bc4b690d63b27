"""The networks of the bench in PyTorch, layer for layer those of Keras; outputs are logits."""

import torch
from torch import nn
from torch.nn import functional as F


def conv(c_in, c_out, kernel=1, stride=1, bias=True, groups=1, padding=None):
    padding = kernel // 2 if padding is None else padding
    return nn.Conv2d(c_in, c_out, kernel, stride, padding, groups=groups, bias=bias)


def mean_over_image(x):
    return x.mean((2, 3))


def mlp(size, classes):
    return nn.Sequential(nn.Linear(size, 64), nn.ReLU(), nn.Linear(64, classes))


def cnn(size, classes):
    side = ((size - 2) // 2 - 2) // 2
    return nn.Sequential(
        conv(1, 32, 3, padding=0), nn.ReLU(), nn.MaxPool2d(2),
        conv(32, 64, 3, padding=0), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Dropout(0.5), nn.Linear(64 * side * side, classes),
    )  # fmt: skip


def vgg16(size, classes):
    parts, c_in = [], 3
    for filters, repeats in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
        for _ in range(repeats):
            parts += [conv(c_in, filters, 3), nn.ReLU(inplace=True)]
            c_in = filters
        parts.append(nn.MaxPool2d(2))
    parts += [nn.Flatten(), nn.Linear(512 * (size // 32) ** 2, 4096), nn.ReLU(inplace=True)]
    parts += [nn.Linear(4096, 4096), nn.ReLU(inplace=True), nn.Linear(4096, classes)]
    return nn.Sequential(*parts)


class Unet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        widths = (32, 64, 128, 256)
        self.down = nn.ModuleList(
            self.two(c_in, c_out) for c_in, c_out in zip((3, *widths), widths)
        )
        self.bottom = nn.Sequential(conv(256, 512, 3), nn.ReLU(inplace=True))
        self.up = nn.ModuleList(nn.ConvTranspose2d(2 * c, c, 2, 2) for c in widths[::-1])
        self.join = nn.ModuleList(self.two(2 * c, c) for c in widths[::-1])
        self.head = conv(32, classes)

    @staticmethod
    def two(c_in, c_out):
        return nn.Sequential(
            conv(c_in, c_out, 3), nn.ReLU(inplace=True),
            conv(c_out, c_out, 3), nn.ReLU(inplace=True),
        )  # fmt: skip

    def forward(self, x):
        kept = []
        for block in self.down:
            x = block(x)
            kept.append(x)
            x = F.max_pool2d(x, 2)
        x = self.bottom(x)
        for up, join in zip(self.up, self.join):
            x = join(torch.cat((kept.pop(), up(x)), 1))
        return self.head(x)


def norm(channels):
    """ResNet's and DenseNet's batch normalization in Keras."""
    return nn.BatchNorm2d(channels, eps=1.001e-5, momentum=0.01)


class Bottleneck(nn.Module):
    def __init__(self, c_in, filters, stride, project):
        super().__init__()
        self.shortcut = nn.Identity()
        if project:
            self.shortcut = nn.Sequential(conv(c_in, 4 * filters, 1, stride), norm(4 * filters))
        self.body = nn.Sequential(
            conv(c_in, filters, 1, stride), norm(filters), nn.ReLU(inplace=True),
            conv(filters, filters, 3), norm(filters), nn.ReLU(inplace=True),
            conv(filters, 4 * filters), norm(4 * filters),
        )  # fmt: skip

    def forward(self, x):
        return F.relu(self.shortcut(x) + self.body(x), inplace=True)


class MeanAndLinear(nn.Module):
    def __init__(self, channels, classes, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout) if dropout else nn.Identity()
        self.linear = nn.Linear(channels, classes)

    def forward(self, x):
        return self.linear(self.dropout(mean_over_image(x)))


def stem(bias):
    return [conv(3, 64, 7, 2, bias), norm(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]


def resnet50(classes):
    parts, c_in = stem(True), 64
    for stage, repeats in enumerate((3, 4, 6, 3)):
        for k in range(repeats):
            stride = 2 if stage and k == 0 else 1
            parts.append(Bottleneck(c_in, 64 << stage, stride, k == 0))
            c_in = 256 << stage
    return nn.Sequential(*parts, MeanAndLinear(c_in, classes))


class DenseLayer(nn.Module):
    def __init__(self, c_in):
        super().__init__()
        self.body = nn.Sequential(
            norm(c_in), nn.ReLU(inplace=True), conv(c_in, 128, bias=False),
            norm(128), nn.ReLU(inplace=True), conv(128, 32, 3, bias=False),
        )  # fmt: skip

    def forward(self, x):
        return torch.cat((x, self.body(x)), 1)


def densenet121(classes):
    parts, c = stem(False), 64
    for block, layers in enumerate((6, 12, 24, 16)):
        if block:
            parts += [norm(c), nn.ReLU(inplace=True), conv(c, c // 2, bias=False), nn.AvgPool2d(2)]
            c //= 2
        for _ in range(layers):
            parts.append(DenseLayer(c))
            c += 32
    return nn.Sequential(*parts, norm(c), nn.ReLU(inplace=True), MeanAndLinear(c, classes))


def build(name, size, classes):
    import torch_mobile

    if name in ("mlp", "cnn", "vgg16"):
        return {"mlp": mlp, "cnn": cnn, "vgg16": vgg16}[name](size, classes)
    makers = {
        "unet": Unet,
        "resnet50": resnet50,
        "densenet121": densenet121,
        "mobilenetv2": torch_mobile.mobilenet_v2,
        "efficientnetb0": torch_mobile.efficientnet_b0,
    }
    return makers[name](classes)
