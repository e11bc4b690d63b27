"""The networks of the bench in Keras: those of keras.applications, and the small ones."""

import keras
from keras import layers

APPLICATIONS = {
    "mobilenetv2": "MobileNetV2",
    "resnet50": "ResNet50",
    "vgg16": "VGG16",
    "efficientnetb0": "EfficientNetB0",
    "densenet121": "DenseNet121",
}


def mlp(shape, classes):
    x = inputs = keras.Input(shape)
    x = layers.Dense(64, activation="relu")(x)
    return keras.Model(inputs, layers.Dense(classes, activation="softmax")(x))


def cnn(shape, classes):
    x = inputs = keras.Input(shape)
    for filters in (32, 64):
        x = layers.Conv2D(filters, 3, activation="relu")(x)
        x = layers.MaxPooling2D(2)(x)
    x = layers.Dropout(0.5)(layers.Flatten()(x))
    return keras.Model(inputs, layers.Dense(classes, activation="softmax")(x))


def conv_relu(x, filters):
    return layers.Conv2D(filters, 3, padding="same", activation="relu")(x)


def unet(shape, classes):
    x = inputs = keras.Input(shape)
    kept = []
    for filters in (32, 64, 128, 256):
        x = conv_relu(conv_relu(x, filters), filters)
        kept.append(x)
        x = layers.MaxPooling2D(2)(x)
    x = conv_relu(x, 512)
    for filters in (256, 128, 64, 32):
        x = layers.Conv2DTranspose(filters, 2, strides=2)(x)
        x = layers.Concatenate()([kept.pop(), x])
        x = conv_relu(conv_relu(x, filters), filters)
    return keras.Model(inputs, layers.Conv2D(classes, 1, activation="softmax")(x))


def build(name, shape, classes):
    if name in APPLICATIONS:
        make = getattr(keras.applications, APPLICATIONS[name])
        return make(weights=None, input_shape=shape, classes=classes)
    return {"mlp": mlp, "cnn": cnn, "unet": unet}[name](shape, classes)
