"""Draws the illustrations of demonstration ads: `python tools/illustrations.py`.

It writes `<scene>-<number>.webp` into `src/adsvc_ops/seeding/illustrations`. They are part of the
package, so this is run only after a change of a scene. With `--sheet FILE` it also draws all of
them on one sheet, to look at.
"""

import argparse
from collections.abc import Callable
from math import cos, sin, tau
from pathlib import Path

from PIL import Image

from canvas import (
    CARDBOARD,
    CLOTHS,
    DARK,
    GLASS,
    HEIGHT,
    OAK,
    PAINTS,
    SIZE,
    STEEL,
    WALLS,
    WIDTH,
    Scene,
    shade,
)

TARGET = Path(__file__).parent.parent / "src/adsvc_ops/seeding/illustrations"
LARGEST = 40 * 1024
QUALITY = 76
COLUMNS = 9

# How many there are of a scene; of those that many ads show there are more.
SEVERAL = 2
MANY = {
    "car": 5,
    "bicycle": 4,
    "house": 4,
    "room": 4,
    "jacket": 5,
    "sofa": 3,
    "table": 3,
    "desk": 3,
}


def _car(scene: Scene) -> None:
    scene.outdoors((104, 106, 110), 0.5)
    paint, low = scene.pick(PAINTS), scene.random.uniform(0.39, 0.42)
    # A saloon, a hatchback or an estate.
    tail, back = scene.random.choice(((0.2, 0.33), (0.14, 0.24), (0.11, 0.15)))
    scene.shadow(0.06, 0.7, 0.96, 0.84, 0.85)
    scene.solid(paint, ((tail, 0.54), (back, low), (0.62, low), (0.79, 0.54)))
    scene.solid(GLASS, ((tail + 0.045, 0.53), (back + 0.025, low + 0.025), (0.385, low + 0.025),
        (0.385, 0.53)))  # fmt: skip
    scene.solid(GLASS, ((0.405, 0.53), (0.405, low + 0.025), (0.505, low + 0.025), (0.505, 0.53)))
    scene.solid(GLASS, ((0.525, 0.53), (0.525, low + 0.025), (0.61, low + 0.025), (0.72, 0.53)))
    scene.solid(paint, ((0.09, 0.56), (0.2, 0.52), (0.8, 0.52), (0.92, 0.58), (0.93, 0.72),
        (0.08, 0.72)), curve=0.5)  # fmt: skip
    for x in (0.395, 0.515):
        scene.line(shade(paint, 0.7), ((x, 0.53), (x, 0.7)), 0.002)
    for x in (0.43, 0.55):
        scene.solid(shade(paint, 0.6), ((x, 0.575), (x + 0.03, 0.585)), round_by=0.002)
    scene.line(shade(paint, 1.3), ((0.1, 0.6), (0.92, 0.61)), 0.003)
    scene.solid((250, 244, 220), ((0.885, 0.59), (0.925, 0.63)), round_by=0.01)
    scene.solid((190, 40, 36), ((0.085, 0.58), (0.11, 0.63)), round_by=0.006)
    for x in (0.25, 0.76):
        scene.disc(DARK, x, 0.72, 0.072)
        scene.disc(STEEL, x, 0.72, 0.046)
        for _ in range(2):
            scene.ring(shade(STEEL, 0.55), x, 0.72, scene.random.uniform(0.015, 0.04), 0.004)


def _van(scene: Scene) -> None:
    scene.outdoors((104, 106, 110), 0.5)
    paint = scene.pick(PAINTS)
    scene.shadow(0.06, 0.72, 0.96, 0.86, 0.85)
    scene.solid(paint, ((0.1, 0.26), (0.7, 0.26), (0.82, 0.46), (0.92, 0.54), (0.93, 0.74),
        (0.09, 0.74)), curve=0.4)  # fmt: skip
    scene.solid(GLASS, ((0.62, 0.32), (0.69, 0.32), (0.78, 0.47), (0.62, 0.47)))
    for x in (0.36, 0.59):
        scene.line(shade(paint, 0.7), ((x, 0.3), (x, 0.72)), 0.003)
    scene.solid((250, 244, 220), ((0.885, 0.57), (0.925, 0.62)), round_by=0.01)
    for x in (0.25, 0.78):
        scene.disc(DARK, x, 0.74, 0.07)
        scene.disc(STEEL, x, 0.74, 0.04)


def _wheels(scene: Scene) -> None:
    scene.table_top(0.3)
    rim = scene.pick((STEEL, (120, 124, 130), (206, 208, 210)))
    spokes = scene.random.choice((5, 6, 8))
    for x, y in ((0.33, 0.44), (0.62, 0.56)):
        scene.shadow(x - 0.2, y + 0.2, x + 0.24, y + 0.36, 0.8)
        scene.disc(DARK, x, y, 0.21)
        scene.disc((46, 48, 52), x, y, 0.19)
        scene.disc(rim, x, y, 0.13)
        for spoke in range(spokes):
            turn = tau * spoke / spokes
            end = (x + 0.12 * sin(turn), y + 0.12 * cos(turn) * WIDTH / HEIGHT)
            scene.line(shade(rim, 0.5), ((x, y), end), 0.012)
        scene.disc(shade(rim, 0.8), x, y, 0.03)


def _stroller(scene: Scene) -> None:
    scene.outdoors((150, 142, 130), 0.6)
    cloth = scene.pick(CLOTHS)
    scene.shadow(0.2, 0.84, 0.86, 0.94, 0.7)
    scene.line(STEEL, ((0.3, 0.82), (0.62, 0.5), (0.8, 0.28), (0.86, 0.27)), 0.014)
    scene.line(STEEL, ((0.34, 0.54), (0.68, 0.82)), 0.014)
    scene.solid(cloth, ((0.24, 0.44), (0.66, 0.44), (0.6, 0.66), (0.32, 0.66)), curve=0.4)
    scene.solid(shade(cloth, 0.8), ((0.46, 0.46), (0.44, 0.24), (0.54, 0.2), (0.64, 0.26),
        (0.68, 0.46)), curve=0.4)  # fmt: skip
    for x in (0.3, 0.68):
        scene.disc(DARK, x, 0.83, 0.07)
        scene.disc(STEEL, x, 0.83, 0.05)


def _laptop(scene: Scene) -> None:
    scene.table_top(0.4)
    shell = scene.pick((STEEL, (70, 74, 80), (206, 200, 190)))
    scene.shadow(0.1, 0.7, 0.92, 0.96, 0.7)
    scene.solid(DARK, ((0.22, 0.14), (0.78, 0.66)), round_by=0.012)
    scene.solid(scene.pick(PAINTS[:5]), ((0.24, 0.17), (0.76, 0.63)), round_by=0.002, curve=-0.6)
    scene.solid(shell, ((0.22, 0.66), (0.78, 0.66), (0.88, 0.88), (0.12, 0.88)), curve=0.1)
    for row in range(3):
        y, left = 0.69 + row * 0.04, 0.25 - row * 0.018
        scene.solid(DARK, ((left, y), (1 - left, y + 0.026)), round_by=0.003, curve=0)
    scene.solid(shade(shell, 0.8), ((0.42, 0.82), (0.58, 0.865)), round_by=0.004)


def _washer(scene: Scene) -> None:
    scene.indoors(0.72)
    white = scene.pick(((240, 240, 238), (214, 218, 222), (250, 248, 242)))
    scene.shadow(0.24, 0.84, 0.8, 0.96, 0.7)
    scene.solid(white, ((0.28, 0.14), (0.74, 0.92)), round_by=0.01, curve=0.15)
    scene.solid(shade(white, 0.8), ((0.28, 0.14), (0.74, 0.26)), round_by=0.01, curve=0.1)
    scene.disc(STEEL, 0.66, 0.2, 0.03)
    scene.solid(DARK, ((0.44, 0.17), (0.58, 0.23)), round_by=0.004)
    for colour, radius in ((STEEL, 0.17), (DARK, 0.14), (GLASS, 0.12)):
        scene.disc(colour, 0.51, 0.58, radius)


def _fridge(scene: Scene) -> None:
    scene.indoors(0.78)
    colour = scene.pick(((240, 240, 238), STEEL, (150, 40, 40), (190, 206, 196)))
    scene.shadow(0.28, 0.9, 0.76, 0.98, 0.7)
    scene.solid(colour, ((0.33, 0.05), (0.69, 0.95)), round_by=0.014, curve=0.15)
    scene.line(shade(colour, 0.6), ((0.33, 0.35), (0.69, 0.35)), 0.005)
    for top, bottom in ((0.16, 0.31), (0.4, 0.62)):
        scene.solid(shade(colour, 0.6), ((0.36, top), (0.375, bottom)), round_by=0.004)


def _bicycle(scene: Scene) -> None:
    scene.outdoors((150, 142, 130), 0.6)
    paint = scene.pick(PAINTS)
    scene.shadow(0.14, 0.84, 0.88, 0.93, 0.7)
    for x in (0.29, 0.73):
        scene.ring(DARK, x, 0.66, 0.16, 0.014)
        scene.ring(STEEL, x, 0.66, 0.146, 0.004)
        for turn in range(6):
            bend = 0.05 * turn - 0.125
            high = (0.146**2 - bend**2) ** 0.5 * WIDTH / HEIGHT
            scene.line((196, 198, 202), ((x - bend, 0.66 - high), (x + bend, 0.66 + high)), 0.001)
    for points in (((0.29, 0.66), (0.43, 0.4), (0.65, 0.38), (0.47, 0.67), (0.29, 0.66)),
                   ((0.42, 0.36), (0.47, 0.67)), ((0.64, 0.3), (0.73, 0.66))):  # fmt: skip
        scene.line(paint, points, 0.013)
    scene.solid(DARK, ((0.36, 0.33), (0.48, 0.36)), round_by=0.02)
    scene.line(DARK, ((0.6, 0.28), (0.65, 0.29), (0.69, 0.25)), 0.012)
    scene.ring(STEEL, 0.47, 0.67, 0.03, 0.008)
    scene.line(STEEL, ((0.47, 0.67), (0.5, 0.75)), 0.008)
    scene.solid(DARK, ((0.48, 0.745), (0.53, 0.76)), round_by=0.004)
    if scene.random.random() < 1 / 2:
        scene.solid((150, 112, 70), ((0.7, 0.28), (0.83, 0.28), (0.81, 0.42), (0.72, 0.42)))
        for y in (0.31, 0.345, 0.38):
            scene.line((112, 80, 48), ((0.71, y), (0.82, y)), 0.003)


def _motorcycle(scene: Scene) -> None:
    scene.outdoors((120, 118, 116), 0.56)
    paint = scene.pick(PAINTS)
    scene.shadow(0.12, 0.8, 0.9, 0.92, 0.8)
    for x in (0.27, 0.75):
        scene.disc(DARK, x, 0.7, 0.125)
        scene.disc(STEEL, x, 0.7, 0.082)
        scene.disc((60, 62, 66), x, 0.7, 0.066)
        scene.ring(STEEL, x, 0.7, 0.03, 0.006)
    frame = shade(paint, 0.5)
    scene.line(frame, ((0.27, 0.7), (0.42, 0.52), (0.64, 0.44), (0.62, 0.66), (0.42, 0.7),
        (0.27, 0.7)), 0.012)  # fmt: skip
    scene.line(STEEL, ((0.75, 0.7), (0.66, 0.35)), 0.018)
    scene.solid((70, 72, 76), ((0.42, 0.54), (0.6, 0.74)), round_by=0.03, curve=0.5)
    for y in (0.58, 0.62, 0.66):
        scene.line((110, 112, 116), ((0.44, y), (0.58, y)), 0.004)
    scene.line(STEEL, ((0.5, 0.76), (0.26, 0.78), (0.14, 0.75)), 0.024)
    scene.solid(DARK, ((0.18, 0.41), (0.24, 0.43), (0.46, 0.45), (0.45, 0.53), (0.26, 0.5)))
    scene.solid(paint, ((0.42, 0.5), (0.44, 0.4), (0.52, 0.37), (0.64, 0.4), (0.65, 0.49),
        (0.54, 0.55)))  # fmt: skip
    scene.solid(paint, ((0.15, 0.44), (0.3, 0.49), (0.28, 0.53), (0.2, 0.52)))
    scene.line(DARK, ((0.58, 0.3), (0.66, 0.35)), 0.014)
    scene.disc(DARK, 0.7, 0.41, 0.042)
    scene.disc((236, 234, 220), 0.71, 0.41, 0.034)


def _house(scene: Scene) -> None:
    scene.outdoors((96, 128, 66), 0.62)
    wall, roof = scene.pick(WALLS), scene.pick(((140, 66, 48), (82, 78, 80), (116, 88, 66)))
    scene.shadow(0.14, 0.74, 0.94, 0.86, 0.6)
    scene.solid(wall, ((0.2, 0.4), (0.82, 0.4), (0.82, 0.79), (0.2, 0.79)), curve=0.2)
    scene.solid(roof, ((0.14, 0.42), (0.3, 0.16), (0.74, 0.16), (0.88, 0.42)), curve=0.4)
    scene.solid((128, 92, 80), ((0.62, 0.1), (0.67, 0.24)), round_by=0)
    for x in (0.26, 0.41, 0.7):
        scene.solid((244, 242, 236), ((x - 0.008, 0.488), (x + 0.098, 0.652)), round_by=0)
        scene.solid(GLASS, ((x, 0.5), (x + 0.09, 0.64)), round_by=0, curve=0.6)
        scene.line((240, 240, 236), ((x + 0.045, 0.5), (x + 0.045, 0.64)), 0.004)
    scene.solid(scene.pick(PAINTS), ((0.56, 0.52), (0.65, 0.79)), round_by=0.004)
    for _ in range(9):
        x = scene.random.uniform(0.16, 0.9)
        scene.disc(shade((58, 100, 52), scene.random.uniform(0.8, 1.2)), x, 0.8, 0.03, 0.6)


def _room(scene: Scene) -> None:
    scene.indoors(0.74)
    scene.solid((246, 246, 242), ((0.36, 0.1), (0.64, 0.52)), round_by=0)
    scene.solid((196, 220, 238), ((0.375, 0.12), (0.625, 0.5)), round_by=0, curve=-0.2)
    scene.line((246, 246, 242), ((0.5, 0.1), (0.5, 0.52)), 0.01)
    _seat(scene, 0.12, 0.62, 0.58)
    scene.solid((250, 246, 220), ((0.8, 0.36), (0.92, 0.36), (0.95, 0.5), (0.77, 0.5)))
    scene.line(DARK, ((0.86, 0.5), (0.86, 0.84)), 0.006)
    scene.solid((112, 116, 120), ((0.1, 0.88), (0.9, 0.97)), round_by=1)


def _seat(scene: Scene, left: float, right: float, top: float) -> None:
    cloth = scene.pick(CLOTHS)
    scene.shadow(left - 0.04, 0.84, right + 0.06, 0.94, 0.7)
    scene.solid(cloth, ((left, top), (right, 0.82)), round_by=0.025)
    middle = (left + right) / 2
    for x, end in ((left + 0.04, middle), (middle, right - 0.04)):
        scene.solid(
            shade(cloth, 1.1), ((x + 0.004, top + 0.13), (end - 0.004, 0.82)), round_by=0.015
        )
    for x in (left - 0.02, right - 0.04):
        scene.solid(shade(cloth, 0.9), ((x, top + 0.08), (x + 0.06, 0.88)), round_by=0.02)
    scene.solid(scene.pick(CLOTHS), ((left + 0.06, top + 0.03), (left + 0.16, top + 0.17)),
        round_by=0.02)  # fmt: skip


def _sofa(scene: Scene) -> None:
    scene.indoors(0.72)
    _seat(scene, 0.18, 0.82, 0.44)


def _table(scene: Scene) -> None:
    scene.indoors(0.66)
    wood = scene.pick((OAK, (126, 82, 50), (214, 188, 150)))
    scene.shadow(0.12, 0.84, 0.9, 0.95, 0.6)
    for x, foot in ((0.2, 0.92), (0.8, 0.92), (0.28, 0.84), (0.72, 0.84)):
        scene.solid(shade(wood, 0.75), ((x - 0.016, 0.55), (x + 0.016, foot)), round_by=0.004)
    scene.solid(wood, ((0.24, 0.48), (0.76, 0.48), (0.88, 0.58), (0.12, 0.58)), curve=-0.3)
    scene.solid(shade(wood, 0.7), ((0.12, 0.58), (0.88, 0.61)), round_by=0.003)
    scene.solid(scene.pick(PAINTS), ((0.46, 0.38), (0.54, 0.53)), round_by=0.03)
    for turn in (-0.06, 0.0, 0.05):
        scene.line((84, 112, 70), ((0.5, 0.4), (0.5 + turn, 0.24)), 0.004)
        scene.disc(
            scene.pick(((226, 160, 60), (232, 226, 214), (190, 70, 80))), 0.5 + turn, 0.24, 0.02
        )


def _shelf(scene: Scene) -> None:
    scene.indoors(0.76)
    wood = scene.pick((OAK, (238, 236, 230), (104, 72, 50)))
    scene.shadow(0.24, 0.88, 0.82, 0.96, 0.7)
    scene.solid(shade(wood, 0.8), ((0.28, 0.12), (0.74, 0.92)), round_by=0.004)
    for row in range(4):
        top = 0.145 + row * 0.19
        scene.solid(shade(wood, 0.45), ((0.295, top), (0.725, top + 0.165)), round_by=0)
        _spines(scene, 0.3, scene.random.uniform(0.5, 0.72), top + 0.165, 0.12)


def _spines(scene: Scene, left: float, right: float, bottom: float, high: float) -> None:
    while left < right:
        wide = scene.random.uniform(0.012, 0.03)
        top = bottom - high * scene.random.uniform(0.75, 1.1)
        scene.solid(
            scene.pick(PAINTS + CLOTHS), ((left, top), (left + wide, bottom)), round_by=0.002
        )
        left += wide + 0.001


def _books(scene: Scene) -> None:
    scene.indoors(0.62)
    scene.shadow(0.1, 0.76, 0.92, 0.9, 0.7)
    _spines(scene, 0.16, 0.78, 0.82, 0.42)


def _screen(scene: Scene) -> None:
    scene.indoors(0.64)
    scene.shadow(0.16, 0.78, 0.86, 0.92, 0.6)
    scene.solid(STEEL, ((0.44, 0.62), (0.56, 0.8)), round_by=0.006)
    scene.solid(STEEL, ((0.34, 0.78), (0.66, 0.83)), round_by=1)
    scene.solid(DARK, ((0.16, 0.16), (0.84, 0.68)), round_by=0.012)
    scene.solid(
        scene.pick(PAINTS[:5]), ((0.178, 0.185), (0.822, 0.645)), round_by=0.002, curve=-0.6
    )
    scene.solid(scene.pick(((230, 150, 90), (90, 150, 170))), ((0.178, 0.645), (0.4, 0.38),
        (0.56, 0.56), (0.66, 0.46), (0.822, 0.645)), curve=0.5)  # fmt: skip
    scene.solid((222, 224, 226), ((0.3, 0.87), (0.7, 0.93)), round_by=0.008)


def _phone(scene: Scene) -> None:
    scene.planks(0)
    scene.shadow(0.33, 0.1, 0.72, 0.98, 0.8)
    scene.solid(DARK, ((0.36, 0.07), (0.64, 0.93)), round_by=0.035)
    scene.solid(scene.pick(PAINTS), ((0.372, 0.088), (0.628, 0.912)), round_by=0.028, curve=-0.7)
    for row in range(4):
        for column in range(3):
            x, y = 0.395 + column * 0.075, 0.34 + row * 0.125
            scene.solid(scene.pick(PAINTS), ((x, y), (x + 0.055, y + 0.075)), round_by=0.012)
    scene.solid((255, 255, 255), ((0.42, 0.16), (0.58, 0.2)), round_by=0.01)


def _camera(scene: Scene) -> None:
    scene.table_top(0.3)
    scene.shadow(0.2, 0.66, 0.84, 0.86, 0.8)
    body = scene.pick(((52, 54, 58), (122, 84, 58), (150, 154, 158)))
    scene.solid(body, ((0.24, 0.3), (0.78, 0.76)), round_by=0.03)
    scene.solid((40, 42, 46), ((0.4, 0.22), (0.6, 0.34)), round_by=0.02)
    scene.solid(STEEL, ((0.66, 0.26), (0.73, 0.31)), round_by=0.008)
    for radius, colour in ((0.155, DARK), (0.14, (70, 72, 76)), (0.115, (20, 22, 26)),
                           (0.09, (40, 52, 84)), (0.05, (22, 24, 40))):  # fmt: skip
        scene.disc(colour, 0.5, 0.53, radius)
    scene.disc((214, 222, 240), 0.46, 0.48, 0.014)


def _jacket(scene: Scene) -> None:
    scene.indoors(0.97)
    cloth = scene.pick(CLOTHS + PAINTS)
    scene.shadow(0.28, 0.24, 0.8, 0.94, 0.45)
    scene.line(STEEL, ((0.5, 0.1), (0.5, 0.18), (0.3, 0.27)), 0.008)
    scene.line(STEEL, ((0.5, 0.18), (0.7, 0.27)), 0.008)
    sleeve = ((0.37, 0.21), (0.27, 0.27), (0.22, 0.44), (0.2, 0.76), (0.285, 0.78), (0.36, 0.46))
    for side in (sleeve, [(1 - x, y) for x, y in sleeve]):
        scene.solid(shade(cloth, 0.86), side, curve=0.4)
    length = scene.random.choice((0.78, 0.92))
    scene.solid(cloth, ((0.42, 0.18), (0.58, 0.18), (0.67, 0.23), (0.67, length), (0.33, length),
        (0.33, 0.23)))  # fmt: skip
    scene.solid(shade(cloth, 0.45), ((0.44, 0.18), (0.56, 0.18), (0.5, 0.3)))
    for turn in (1, -1):
        collar = ((0.44, 0.17), (0.5, 0.34), (0.4, 0.28))
        scene.solid(shade(cloth, 1.12), [(0.5 + turn * (x - 0.5), y) for x, y in collar])
        pocket = [(0.5 + turn * (x - 0.5), y) for x, y in ((0.36, 0.62), (0.45, 0.64))]
        scene.line(shade(cloth, 0.6), pocket, 0.006)
    scene.line(shade(cloth, 0.6), ((0.5, 0.34), (0.5, length)), 0.004)
    for y in (0.42, 0.53, 0.64):
        scene.disc(shade(cloth, 0.4), 0.52, y, 0.008)


def _shoes(scene: Scene) -> None:
    scene.table_top(0.2)
    leather = scene.pick(((118, 74, 44), DARK, (150, 148, 140), (70, 84, 60), (160, 60, 50)))
    for x, y in ((0.1, 0.28), (0.3, 0.46)):
        scene.shadow(x, y + 0.24, x + 0.58, y + 0.36, 0.8)
        upper = ((0.02, 0), (0.2, 0), (0.26, 0.13), (0.48, 0.18), (0.53, 0.26), (0.02, 0.28))
        scene.solid(leather, [(x + right, y + down) for right, down in upper], curve=0.45)
        scene.solid((226, 220, 206), ((x, y + 0.26), (x + 0.55, y + 0.31)), round_by=0.014)
        scene.solid(shade(leather, 0.5), ((x + 0.03, y - 0.012), (x + 0.19, y + 0.02)), round_by=1)
        for lace in range(4):
            left, top = x + 0.2 + lace * 0.035, y + 0.04 + lace * 0.03
            scene.line((240, 236, 226), ((left, top), (left + 0.03, top - 0.02)), 0.006)


def _toys(scene: Scene) -> None:
    scene.indoors(0.56)
    scene.shadow(0.1, 0.76, 0.92, 0.92, 0.6)
    for x, y in ((0.16, 0.64), (0.32, 0.64), (0.24, 0.44), (0.48, 0.66)):
        scene.solid(scene.pick(PAINTS), ((x, y), (x + 0.15, y + 0.2)), round_by=0.012)
    scene.disc(scene.pick(PAINTS), 0.78, 0.74, 0.1, 0.6)
    scene.disc((255, 255, 255), 0.75, 0.69, 0.016)


def _guitar(scene: Scene) -> None:
    scene.indoors(0.78)
    wood = scene.pick(((190, 120, 60), (120, 52, 36), (220, 180, 120)))
    scene.shadow(0.28, 0.86, 0.76, 0.96, 0.7)
    scene.solid((64, 42, 30), ((0.485, 0.08), (0.525, 0.62)), round_by=0.002)
    scene.solid((44, 30, 24), ((0.475, 0.04), (0.535, 0.12)), round_by=0.006)
    scene.disc(shade(wood, 0.95), 0.505, 0.56, 0.115)
    scene.disc(wood, 0.505, 0.75, 0.15)
    scene.disc((34, 24, 20), 0.505, 0.6, 0.042)
    scene.solid((70, 44, 30), ((0.455, 0.76), (0.555, 0.785)), round_by=0.004)
    for string in range(6):
        x = 0.49 + string * 0.006
        scene.line((224, 220, 206), ((x, 0.08), (x, 0.77)), 0.001)


def _box(scene: Scene) -> None:
    scene.indoors(0.6)
    scene.shadow(0.16, 0.78, 0.9, 0.92, 0.8)
    scene.solid(shade(CARDBOARD, 0.5), ((0.24, 0.4), (0.7, 0.36), (0.8, 0.46), (0.34, 0.52)))
    for _ in range(5):
        x, colour = scene.random.uniform(0.32, 0.62), scene.pick(PAINTS + CLOTHS)
        high = scene.random.uniform(0.26, 0.4)
        scene.solid(
            colour, ((x, high), (x + scene.random.uniform(0.06, 0.12), 0.56)), round_by=0.012
        )
    scene.solid(CARDBOARD, ((0.24, 0.44), (0.66, 0.5), (0.66, 0.88), (0.26, 0.8)), curve=0.15)
    scene.solid(shade(CARDBOARD, 0.75), ((0.66, 0.5), (0.8, 0.44), (0.78, 0.78), (0.66, 0.88)))
    scene.solid(
        (216, 196, 160), ((0.43, 0.468), (0.49, 0.477), (0.485, 0.66), (0.435, 0.65)), curve=0
    )


def _tools(scene: Scene) -> None:
    scene.table_top(0.12)
    scene.shadow(0.14, 0.6, 0.88, 0.9, 0.7)
    case = scene.pick(((190, 44, 36), (36, 84, 140), (60, 92, 66)))
    scene.line(DARK, ((0.38, 0.42), (0.38, 0.3), (0.62, 0.3), (0.62, 0.42)), 0.022)
    scene.solid(case, ((0.18, 0.4), (0.82, 0.78)), round_by=0.016)
    scene.solid(shade(case, 0.7), ((0.18, 0.52), (0.82, 0.56)), round_by=0)
    for x in (0.3, 0.66):
        scene.solid(STEEL, ((x, 0.49), (x + 0.05, 0.6)), round_by=0.004)
    scene.line(OAK, ((0.16, 0.9), (0.5, 0.93)), 0.026)
    scene.solid(STEEL, ((0.48, 0.86), (0.54, 1)), round_by=0.006)


def _meadow(scene: Scene) -> None:
    scene.outdoors((108, 142, 62), 0.5)
    for number in range(7):
        x, size = scene.random.random(), 0.03 + number * 0.006
        y = 0.52 + number * 0.04
        scene.shadow(x - size, y + 0.02, x + size * 2, y + 0.06, 0.5)
        scene.solid((92, 66, 46), ((x - 0.008, y - 0.1), (x + 0.008, y + 0.05)), round_by=0)
        for turn in (-0.5, 0.5, 0.0):
            scene.disc(shade((70, 112, 50), scene.random.uniform(0.8, 1.2)), x + turn * size,
                y - 0.14 - size * (turn == 0), size, 0.6)  # fmt: skip


def _desk(scene: Scene) -> None:
    scene.planks(0)
    scene.shadow(0.2, 0.12, 0.68, 0.98, 0.6)
    scene.solid((250, 248, 242), ((0.22, 0.1), (0.62, 0.14), (0.6, 0.94), (0.2, 0.9)), curve=0.08)
    for row in range(9):
        y, end = 0.24 + row * 0.07, scene.random.uniform(0.4, 0.56)
        scene.line((120, 128, 150), ((0.26, y), (end, y + 0.02)), 0.005)
    scene.line(scene.pick(PAINTS), ((0.66, 0.4), (0.74, 0.9)), 0.012)
    scene.shadow(0.72, 0.1, 0.98, 0.44, 0.6)
    scene.disc((238, 236, 232), 0.83, 0.24, 0.1, 0.2)
    scene.disc((70, 42, 26), 0.83, 0.24, 0.08, 0.3)


def _sports(scene: Scene) -> None:
    scene.indoors(0.6)
    scene.shadow(0.1, 0.78, 0.9, 0.92, 0.7)
    scene.line(scene.pick(PAINTS), ((0.56, 0.84), (0.69, 0.5)), 0.02)
    paint = scene.pick(PAINTS)
    for step in range(-4, 5):
        across = step * 0.025
        high = (0.12**2 - across**2) ** 0.5 * WIDTH / HEIGHT
        scene.line((226, 226, 216), ((0.73 + across, 0.36 - high), (0.73 + across, 0.36 + high)),
            0.001)  # fmt: skip
        wide = high * HEIGHT / WIDTH
        y = 0.36 + across * WIDTH / HEIGHT
        scene.line((226, 226, 216), ((0.73 - wide, y), (0.73 + wide, y)), 0.001)
    scene.ring(paint, 0.73, 0.36, 0.13, 0.014)
    ball = scene.pick(((206, 104, 44), (236, 234, 226), (60, 96, 150)))
    scene.disc(ball, 0.32, 0.68, 0.15, 0.6)
    seam = shade(ball, 0.45)
    scene.line(seam, ((0.32, 0.49), (0.33, 0.68), (0.32, 0.87)), 0.004)
    scene.line(seam, ((0.175, 0.67), (0.32, 0.69), (0.465, 0.67)), 0.004)
    for side in (1, -1):
        scene.line(seam, [(0.32 + side * x, y) for x, y in
            ((0.09, 0.52), (0.055, 0.62), (0.055, 0.74), (0.09, 0.84))], 0.004)  # fmt: skip
    scene.disc((206, 220, 74), 0.57, 0.84, 0.035, 0.5)


def _games(scene: Scene) -> None:
    scene.table_top(0.3)
    for number, x in enumerate((0.12, 0.3, 0.48)):
        top = 0.14 + 0.05 * number
        scene.shadow(x, top + 0.4, x + 0.24, top + 0.5, 0.7)
        cover = scene.pick(PAINTS)
        scene.solid(cover, ((x, top), (x + 0.2, top + 0.44)), round_by=0.006)
        scene.solid(shade(cover, 1.4), ((x, top), (x + 0.2, top + 0.06)), round_by=0.004)
        scene.disc(scene.pick(PAINTS), x + 0.1, top + 0.25, 0.05, 0.6)
    shell = scene.pick(((46, 48, 54), (232, 232, 230), (60, 90, 140)))
    scene.shadow(0.4, 0.72, 0.92, 0.94, 0.85)
    for x in (0.5, 0.8):
        scene.solid(shell, ((x - 0.07, 0.58), (x + 0.07, 0.9)), round_by=0.06)
    scene.solid(shell, ((0.46, 0.56), (0.84, 0.78)), round_by=0.07)
    for x, y in ((0.58, 0.72), (0.72, 0.72)):
        scene.disc(shade(shell, 0.5), x, y, 0.034)
        scene.disc((30, 32, 36), x, y, 0.022)
    scene.solid((30, 32, 36), ((0.5, 0.62), (0.56, 0.64)), round_by=0.004)
    scene.solid((30, 32, 36), ((0.522, 0.59), (0.538, 0.67)), round_by=0.004)
    for (x, y), colour in zip(((0.78, 0.59), (0.805, 0.63), (0.755, 0.63), (0.78, 0.67)), PAINTS,
                              strict=False):  # fmt: skip
        scene.disc(colour, x, y, 0.011)


def _album(scene: Scene) -> None:
    scene.planks(0)
    scene.shadow(0.06, 0.14, 0.96, 0.98, 0.7)
    cover = scene.pick(CLOTHS)
    scene.solid(cover, ((0.08, 0.12), (0.92, 0.9)), round_by=0.012)
    for left, right in ((0.1, 0.497), (0.503, 0.9)):
        scene.solid((240, 234, 216), ((left, 0.15), (right, 0.87)), round_by=0.004, curve=0.08)
        for row in range(3):
            for column in range(3):
                x, y = left + 0.035 + column * 0.115, 0.21 + row * 0.22
                colour = scene.pick(PAINTS + CLOTHS)
                scene.solid((250, 250, 246), ((x, y), (x + 0.085, y + 0.16)), round_by=0.002)
                scene.solid(colour, ((x + 0.008, y + 0.01), (x + 0.077, y + 0.15)), round_by=0)
                scene.disc(shade(colour, 1.5), x + 0.042, y + 0.08, 0.02)


def _piano(scene: Scene) -> None:
    scene.indoors(0.78)
    wood = scene.pick(((40, 34, 34), (92, 52, 34), (58, 40, 30)))
    scene.shadow(0.14, 0.86, 0.88, 0.97, 0.7)
    scene.solid(wood, ((0.18, 0.2), (0.82, 0.92)), round_by=0.008, curve=0.4)
    scene.solid(shade(wood, 1.3), ((0.22, 0.26), (0.78, 0.46)), round_by=0.004)
    scene.solid((248, 246, 238), ((0.4, 0.24), (0.6, 0.45)), round_by=0.002, curve=0.05)
    for line in range(6):
        y = 0.27 + line * 0.028
        scene.line((120, 120, 124), ((0.42, y), (0.58, y)), 0.001)
    scene.solid(shade(wood, 1.15), ((0.14, 0.52), (0.86, 0.64)), round_by=0.006)
    scene.solid((246, 244, 236), ((0.18, 0.535), (0.82, 0.6)), round_by=0.002, curve=0.1)
    for key in range(1, 32):
        x = 0.18 + key * 0.02
        scene.line((150, 150, 150), ((x, 0.535), (x, 0.6)), 0.001)
        if key % 7 not in {0, 3}:
            scene.solid(DARK, ((x - 0.006, 0.535), (x + 0.006, 0.575)), round_by=0.001)
    for x in (0.17, 0.8):
        scene.solid(shade(wood, 0.7), ((x, 0.64), (x + 0.035, 0.92)), round_by=0.004)


def _household(scene: Scene) -> None:
    scene.indoors(0.7)
    scene.shadow(0.2, 0.82, 0.82, 0.95, 0.7)
    scene.line(OAK, ((0.72, 0.12), (0.62, 0.8)), 0.014)
    scene.solid((214, 190, 120), ((0.58, 0.74), (0.66, 0.75), (0.7, 0.92), (0.5, 0.9)), curve=0.4)
    bucket = scene.pick(PAINTS[:2] + PAINTS[4:6])
    scene.ring(STEEL, 0.36, 0.52, 0.13, 0.006)
    scene.solid(bucket, ((0.22, 0.5), (0.5, 0.5), (0.46, 0.9), (0.26, 0.9)), curve=0.4)
    scene.solid(shade(bucket, 0.6), ((0.21, 0.46), (0.51, 0.55)), round_by=1)
    scene.solid((220, 234, 240), ((0.235, 0.475), (0.485, 0.54)), round_by=1)
    for x, y, radius in ((0.3, 0.49, 0.03), (0.36, 0.475, 0.04), (0.43, 0.49, 0.03)):
        scene.disc((244, 248, 250), x, y, radius, 0.15)
    bottle = scene.pick(PAINTS)
    scene.solid(bottle, ((0.76, 0.62), (0.85, 0.92)), round_by=0.02)
    scene.solid((244, 244, 240), ((0.785, 0.54), (0.825, 0.63)), round_by=0.004)
    scene.solid(DARK, ((0.75, 0.52), (0.825, 0.56)), round_by=0.004)


def _office(scene: Scene) -> None:
    scene.indoors(0.7)
    scene.shadow(0.12, 0.86, 0.9, 0.96, 0.6)
    wood = scene.pick((OAK, (232, 230, 224), (110, 84, 66)))
    for x in (0.17, 0.8):
        scene.solid(shade(wood, 0.7), ((x, 0.58), (x + 0.03, 0.92)), round_by=0.002)
    scene.solid(STEEL, ((0.38, 0.5), (0.42, 0.57)), round_by=0)
    scene.solid(DARK, ((0.24, 0.24), (0.56, 0.52)), round_by=0.008)
    scene.solid(scene.pick(PAINTS[:5]), ((0.25, 0.26), (0.55, 0.5)), round_by=0.002, curve=-0.6)
    scene.line(DARK, ((0.72, 0.56), (0.72, 0.36), (0.64, 0.28)), 0.008)
    scene.solid(scene.pick(PAINTS), ((0.6, 0.24), (0.68, 0.26), (0.66, 0.36), (0.58, 0.32)))
    scene.solid(wood, ((0.12, 0.56), (0.88, 0.62)), round_by=0.004, curve=0.2)
    cloth = scene.pick(CLOTHS)
    scene.solid(cloth, ((0.44, 0.44), (0.62, 0.72)), round_by=0.025)
    scene.solid(shade(cloth, 0.85), ((0.42, 0.74), (0.64, 0.8)), round_by=0.02)
    scene.line(DARK, ((0.53, 0.8), (0.53, 0.9)), 0.012)
    scene.line(DARK, ((0.43, 0.94), (0.53, 0.9), (0.63, 0.94)), 0.012)


SCENES: dict[str, Callable[[Scene], None]] = {
    "van": _van, "wheels": _wheels, "stroller": _stroller, "laptop": _laptop, "washer": _washer,
    "fridge": _fridge,
    "car": _car, "motorcycle": _motorcycle, "bicycle": _bicycle, "house": _house, "room": _room,
    "sofa": _sofa, "table": _table, "shelf": _shelf, "books": _books, "screen": _screen,
    "phone": _phone,
    "camera": _camera, "jacket": _jacket, "shoes": _shoes, "toys": _toys, "guitar": _guitar,
    "box": _box, "tools": _tools, "meadow": _meadow, "desk": _desk,
    "sports": _sports, "games": _games, "album": _album, "piano": _piano,
    "household": _household, "office": _office,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sheet", type=Path)
    given = parser.parse_args()
    TARGET.mkdir(exist_ok=True)
    for path in TARGET.glob("*.webp"):
        path.unlink()
    made = [
        _written(scene, number)
        for scene in SCENES
        for number in range(1, MANY.get(scene, SEVERAL) + 1)
    ]
    sizes = [path.stat().st_size for path in made]
    print(f"{len(made)} illustrations, {sum(sizes)} bytes, the largest {max(sizes)}")
    if max(sizes) > LARGEST:
        raise SystemExit(f"An illustration is larger than {LARGEST} bytes.")
    if given.sheet is not None:
        _sheet(made).save(given.sheet)


def _written(scene: str, number: int) -> Path:
    canvas = Scene(scene, number)
    SCENES[scene](canvas)
    path = TARGET / f"{scene}-{number}.webp"
    canvas.finished().save(path, "WEBP", quality=QUALITY, method=6)
    return path


def _sheet(paths: list[Path]) -> Image.Image:
    width, height = SIZE[0] // 3, SIZE[1] // 3
    rows = -(-len(paths) // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * width, rows * height))
    for place, path in enumerate(paths):
        row, column = divmod(place, COLUMNS)
        with Image.open(path) as image:
            sheet.paste(image.resize((width, height)), (column * width, row * height))
    return sheet


if __name__ == "__main__":
    main()
