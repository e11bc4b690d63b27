"""MobileNetV2 and EfficientNetB0 in PyTorch, as keras.applications has them."""

import torch
from torch import nn
from torch_models import MeanAndLinear, conv, mean_over_image


class StridePadding(nn.Module):
    """Keras's zeros in front of a strided window: one less at the top and left of an even image."""

    def __init__(self, kernel):
        super().__init__()
        self.half = kernel // 2

    def forward(self, x):
        top, left = (self.half - (n % 2 == 0) for n in x.shape[2:])
        return nn.functional.pad(x, (left, self.half, top, self.half))


class Excite(nn.Module):
    def __init__(self, channels, narrow):
        super().__init__()
        self.reduce = conv(channels, narrow)
        self.expand = conv(narrow, channels)

    def forward(self, x):
        y = mean_over_image(x)[:, :, None, None]
        return x * torch.sigmoid(self.expand(nn.functional.silu(self.reduce(y))))


class DropConnect(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.rate = rate

    def forward(self, x):
        if not self.training or not self.rate:
            return x
        keep = torch.rand(x.shape[0], 1, 1, 1) >= self.rate
        return x * (keep.to(x.dtype) / (1 - self.rate))


class Block(nn.Module):
    def __init__(self, c_in, kernel, expansion, filters, stride, style, drop):
        super().__init__()
        wide = c_in * expansion
        parts = []
        if expansion > 1:
            parts += [conv(c_in, wide, bias=False), style.norm(wide), style.activation()]
        if stride > 1:
            parts.append(StridePadding(kernel))
        padding = 0 if stride > 1 else kernel // 2
        parts.append(conv(wide, wide, kernel, stride, False, wide, padding))
        parts += [style.norm(wide), style.activation()]
        if style.excites:
            parts.append(Excite(wide, max(1, c_in // 4)))
        parts += [conv(wide, filters, bias=False), style.norm(filters)]
        self.adds = stride == 1 and c_in == filters
        if self.adds and style.excites:
            parts.append(DropConnect(drop))
        self.body = nn.Sequential(*parts)

    def forward(self, x):
        return x + self.body(x) if self.adds else self.body(x)


class MobileStyle:
    excites = False

    @staticmethod
    def norm(channels):
        return nn.BatchNorm2d(channels, eps=1e-3, momentum=0.001)

    @staticmethod
    def activation():
        return nn.ReLU6(inplace=True)


class EfficientStyle:
    excites = True

    @staticmethod
    def norm(channels):
        return nn.BatchNorm2d(channels, eps=1e-3, momentum=0.01)

    @staticmethod
    def activation():
        return nn.SiLU(inplace=True)


def body(stages, style):
    """The convolution at the start, all blocks, the convolution at the end."""
    parts = [StridePadding(3), conv(3, 32, 3, 2, False, padding=0), style.norm(32)]
    parts.append(style.activation())
    total = sum(stage[1] for stage in stages)
    c_in = 32
    done = 0
    for kernel, repeats, expansion, filters, stride in stages:
        for k in range(repeats):
            drop = 0.2 * done / total
            first = stride if k == 0 else 1
            parts.append(Block(c_in, kernel, expansion, filters, first, style, drop))
            c_in = filters
            done += 1
    parts += [conv(c_in, 1280, bias=False), style.norm(1280), style.activation()]
    return parts


def mobilenet_v2(classes):
    stages = ((3, 1, 1, 16, 1), (3, 2, 6, 24, 2), (3, 3, 6, 32, 2), (3, 4, 6, 64, 2),
              (3, 3, 6, 96, 1), (3, 3, 6, 160, 2), (3, 1, 6, 320, 1))  # fmt: skip
    return nn.Sequential(*body(stages, MobileStyle), MeanAndLinear(1280, classes))


class Normalize(nn.Module):
    """Rescaling to 0..1, then (x - mean) / deviation with what is known before training."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(1, 3, 1, 1))
        self.register_buffer("variance", torch.ones(1, 3, 1, 1))

    def forward(self, x):
        deviation = torch.clamp(torch.sqrt(self.variance), min=1e-7)
        return (x * (1 / 255) - self.mean) / deviation


def efficientnet_b0(classes):
    stages = ((3, 1, 1, 16, 1), (3, 2, 6, 24, 2), (5, 2, 6, 40, 2), (3, 3, 6, 80, 2),
              (5, 3, 6, 112, 1), (5, 4, 6, 192, 2), (3, 1, 6, 320, 1))  # fmt: skip
    parts = body(stages, EfficientStyle)
    return nn.Sequential(Normalize(), *parts, MeanAndLinear(1280, classes, 0.2))
