"""Pictures of pieces and boards, drawn from their definitions in the rulesets."""

from rulesdsl.draw.board import board_svg
from rulesdsl.draw.pieces import Pieces, piece_svg, samples_svg, sheet_svg
from rulesdsl.draw.svg import png

__all__ = ["Pieces", "board_svg", "piece_svg", "png", "samples_svg", "sheet_svg"]
