"""Pictures of pieces and boards, drawn from what the rulesets say of them."""

from rulesdsl.draw.board import board_svg
from rulesdsl.draw.piece import Pieces, piece_svg
from rulesdsl.draw.png import png
from rulesdsl.draw.samples import samples_svg
from rulesdsl.draw.sheet import sheet_svg

__all__ = ["Pieces", "board_svg", "piece_svg", "png", "samples_svg", "sheet_svg"]
