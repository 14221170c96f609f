"""Pictures of pieces and boards, drawn from their definitions in the rulesets."""

from rulesdsl.show.draw.board import board_svg
from rulesdsl.show.draw.pieces import Pieces, piece_svg, samples_svg, sheet_svg
from rulesdsl.show.draw.svg import png

__all__ = ["Pieces", "board_svg", "piece_svg", "png", "samples_svg", "sheet_svg"]
