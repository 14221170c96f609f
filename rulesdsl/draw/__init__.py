"""Pictures of pieces and boards, drawn from what the rulesets say of them."""

from rulesdsl.draw.piece import piece_svg
from rulesdsl.draw.png import png

__all__ = ["piece_svg", "png"]
