"""The name under which programs import `rulesdsl.show.draw`."""

from rulesdsl.show.draw import Pieces, board_svg, piece_svg, png, samples_svg, sheet_svg

__all__ = ["Pieces", "board_svg", "piece_svg", "png", "samples_svg", "sheet_svg"]
