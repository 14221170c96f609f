"""Paint the tiles of Mills onto one sheet: `python3 paint.py`, with Pillow."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, hypot, pi, sin
from pathlib import Path
from random import Random

from PIL import Image, ImageDraw, ImageFilter

LARGE, SMALL = 1200, 300
"""Pixels of a tile as it is painted and as it is saved; its sides are 1 in what follows."""
Region = Callable[[float, float], bool]
Spot = tuple[float, float]
GRASS, EARTH, STONE, ROOF = (128, 160, 74), (222, 196, 142), (170, 150, 128), (186, 92, 58)


class Tile:
    """A tile to paint on with strokes of a brush."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.image = Image.new("RGB", (LARGE, LARGE), GRASS)
        self.draw = ImageDraw.Draw(self.image)

    def cover(self, where: Region, colour: Spot | tuple[int, ...], count: int, size: float) -> None:
        """Cover a region with strokes in shades of a colour."""
        for _ in range(count):
            x, y, turn = self.chance.random(), self.chance.random(), self.chance.uniform(0, pi)
            if where(x, y):
                shade = self.chance.gauss(0, 13)
                tint = tuple(int(part + shade + self.chance.gauss(0, 4)) for part in colour)
                across, down = size * cos(turn), size * sin(turn) / 2
                self.line([(x - across, y - down), (x + across, y + down)], tint, size)

    def line(self, points: list[Spot], colour: tuple[int, ...], width: float) -> None:
        """Draw a line with round ends."""
        corners = [(LARGE * x, LARGE * y) for x, y in points]
        self.draw.line(corners, fill=colour, width=round(LARGE * width), joint="curve")

    def shape(self, points: list[Spot], colour: tuple[int, ...]) -> None:
        """Draw a filled shape with a rim."""
        self.draw.polygon([(LARGE * x, LARGE * y) for x, y in points], fill=colour)
        self.line([*points, points[0]], (74, 44, 28), 0.006)

    def meadow(self) -> None:
        """Paint grass, with trees and flowers."""
        self.cover(lambda x, y: True, GRASS, 9000, 0.012)
        for _ in range(60):
            x, y = self.chance.random(), self.chance.random()
            self.line(
                [(x, y), (x + 0.006, y)],
                self.chance.choice([(240, 220, 90), (240, 240, 230)]),
                0.009,
            )

    def path(self, points: list[Spot]) -> None:
        """Paint a road along points close to each other."""

        def near(x: float, y: float) -> bool:
            return min(hypot(x - px, y - py) for px, py in points) < 0.062

        self.line(points, (120, 92, 58), 0.15)
        self.line(points, EARTH, 0.125)
        self.cover(near, EARTH, 5000, 0.009)

    def town(self, inside: Region, wall: list[Spot]) -> None:
        """Paint a town behind a wall: streets, then houses from the back to the front."""
        self.cover(inside, (176, 138, 100), 9000, 0.016)
        spots = [(self.chance.random(), self.chance.random()) for _ in range(500)]
        placed: list[Spot] = []
        for x, y in sorted(spots, key=lambda spot: spot[1]):
            fits = all(inside(x + a, y + b) for a in (-0.06, 0.06) for b in (-0.09, 0.07))
            if fits and all(hypot(x - a, y - b) > 0.1 for a, b in placed):
                placed.append((x, y))
                self.house(x, y, 0.045)
        self.line(wall, (84, 66, 52), 0.05)
        self.line(wall, STONE, 0.036)

    def house(self, x: float, y: float, size: float) -> None:
        """Paint a house with its gable to the front."""
        shade = self.chance.randint(-18, 18)
        self.shape(
            [(x - size, y), (x + size, y), (x + size, y + size), (x - size, y + size)],
            (236, 222, 194),
        )
        roof = (ROOF[0] + shade, ROOF[1] + shade, ROOF[2] + shade)
        self.shape([(x - 1.25 * size, y), (x, y - 1.2 * size), (x + 1.25 * size, y)], roof)
        self.line([(x, y + 0.4 * size), (x, y + size)], (74, 44, 28), 0.016)

    def trees(self, spots: list[Spot]) -> None:
        """Paint round trees."""
        for x, y in sorted(spots, key=lambda spot: spot[1]):
            self.line([(x, y), (x, y + 0.07)], (90, 62, 40), 0.014)
            for _ in range(70):
                turn, far = self.chance.uniform(0, 2 * pi), 0.05 * self.chance.random() ** 0.5
                light = round(30 * sin(turn))
                at = (x + far * cos(turn), y + far * sin(turn))
                self.line(
                    [at, (at[0] + 0.012, at[1])], (74 - light, 112 - light, 50 - light), 0.014
                )

    def mill(self, x: float, y: float) -> None:
        """Paint a windmill."""
        self.shape(
            [
                (x - 0.07, y + 0.12),
                (x - 0.045, y - 0.06),
                (x + 0.045, y - 0.06),
                (x + 0.07, y + 0.12),
            ],
            (240, 232, 214),
        )
        self.shape([(x - 0.06, y - 0.055), (x, y - 0.13), (x + 0.06, y - 0.055)], ROOF)
        for quarter in range(4):
            turn = quarter * pi / 2 + 0.5
            along, across = (cos(turn), sin(turn)), (-sin(turn), cos(turn))
            hub = (x, y - 0.06)
            tip = (hub[0] + 0.14 * along[0], hub[1] + 0.14 * along[1])
            side = (tip[0] + 0.035 * across[0], tip[1] + 0.035 * across[1])
            foot = (
                hub[0] + 0.035 * (along[0] + across[0]),
                hub[1] + 0.035 * (along[1] + across[1]),
            )
            self.shape([hub, tip, side, foot], (250, 246, 234))

    def done(self) -> Image.Image:
        """Return the tile as it is saved."""
        soft = self.image.filter(ImageFilter.GaussianBlur(1.5))
        return soft.resize((SMALL, SMALL), Image.Resampling.LANCZOS)


def arc(centre: Spot, radius: float, start: float, end: float) -> list[Spot]:
    """Return points on a circle; angles are shares of a turn."""
    turns = (2 * pi * (start + (end - start) * step / 40) for step in range(41))
    return [(centre[0] + radius * cos(turn), centre[1] + radius * sin(turn)) for turn in turns]


def straight(top: float) -> list[Spot]:
    """Return points from a height to the south side."""
    return [
        (0.5 + 0.02 * sin(9 * y), y) for y in (top + (1.05 - top) * step / 40 for step in range(41))
    ]


def main() -> None:
    """Paint the four tiles and save them as one sheet."""
    tiles = [Tile(seed) for seed in range(4)]
    for tile in tiles:
        tile.meadow()
    road, curve, gate, corner = tiles
    road.path(straight(-0.05))
    road.trees([(0.14, 0.2), (0.24, 0.28), (0.12, 0.36), (0.82, 0.8), (0.9, 0.72)])
    road.mill(0.8, 0.4)
    curve.path(arc((1, 1), 0.5, 0.48, 0.77))
    curve.trees([(0.15, 0.6), (0.22, 0.75), (0.12, 0.82), (0.85, 0.12)])
    curve.mill(0.3, 0.3)
    gate.path(straight(0.25))
    gate.town(lambda x, y: hypot(x - 0.5, y + 0.42) < 0.69, arc((0.5, -0.42), 0.7, 0.1, 0.4))
    gate.trees([(0.14, 0.6), (0.22, 0.7), (0.86, 0.84)])
    corner.town(lambda x, y: hypot(x - 1.6, y + 0.6) < 1.64, arc((1.6, -0.6), 1.65, 0.28, 0.47))
    corner.trees([(0.12, 0.7), (0.2, 0.84), (0.36, 0.9)])
    sheet = Image.new("RGB", (2 * SMALL, 2 * SMALL))
    for number, tile in enumerate(tiles):
        sheet.paste(tile.done(), (number % 2 * SMALL, number // 2 * SMALL))
    sheet.save(Path(__file__).with_name("art") / "tiles.webp", quality=88, method=6)


if __name__ == "__main__":
    main()
