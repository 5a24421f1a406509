# SPDX-License-Identifier: MIT
"""The drawing of a machine by Matplotlib, for print."""

import textwrap
from pathlib import Path

from sunstar.files import Outputs
from sunstar.machine.picture import OUTLINES, Picture
from sunstar.study.plots import picture

IDLE, BUSY = "#edf1f5", "#b5370b"
LEAST_INCHES, USUAL_INCHES = 7.0, 11.0
LEAST_SCALE, USUAL_SCALE = 0.065, 0.125
"""Inches a unit of the drawing: of machines so large that their text would become too small, and of small ones."""
LINE_INCHES, LETTERS_AN_INCH = 0.17, 14
"""Of the text of the legend."""


def draw_machine(files: Outputs, path: Path, drawn: Picture, title: str) -> None:
    """A machine's picture, coloured by utilisation, and a legend below it."""
    import matplotlib as mpl
    from matplotlib.patches import Patch, Rectangle

    scale = max(LEAST_SCALE, min(USUAL_SCALE, USUAL_INCHES / drawn.width))
    width = max(LEAST_INCHES, drawn.width * scale + 0.9)
    letters = int(LETTERS_AN_INCH * (width - 1))
    texts = ["\n".join(textwrap.wrap(text, letters)) for _, text in drawn.legend]
    lines = sum(1 + text.count("\n") for text in texts) + 1
    with picture(files, path, width, drawn.height * scale + 1.2 + lines * LINE_INCHES, 8) as canvas:
        axes = canvas.subplots()
        colours = mpl.colors.LinearSegmentedColormap.from_list("utilisation", [IDLE, BUSY])
        small = 72 * scale * 0.85
        for box in drawn.boxes:
            face = "none" if box.value is None else colours(min(1.0, box.value))
            place, edge = (box.x, box.y), OUTLINES[box.shape]
            axes.add_patch(Rectangle(place, box.width, box.height, facecolor=face, edgecolor=edge, linewidth=0.8))
            if box.shape == "frame":
                axes.text(box.x + 0.4, box.y + 0.2, box.label, fontsize=small, va="top")
            else:
                ink = "white" if box.value is not None and box.value > 0.5 else "black"
                middle = (box.x + box.width / 2, box.y + box.height / 2)
                axes.text(
                    *middle, box.words, fontsize=small, ha="center", va="center_baseline", color=ink, linespacing=1.05
                )
        axes.set_xlim(0, drawn.width)
        axes.set_ylim(drawn.height, 0)
        axes.set_aspect("equal")
        axes.set_axis_off()
        axes.set_title(title)
        handles = [Patch(facecolor="none", edgecolor=OUTLINES[shape]) for shape, _ in drawn.legend]
        canvas.legend(
            handles, texts, loc="outside lower left", title=drawn.key, alignment="left", frameon=False,
            handlelength=1.2, labelspacing=0.3,
        )  # fmt: skip
        if any(box.value is not None for box in drawn.boxes):
            shades = mpl.cm.ScalarMappable(mpl.colors.Normalize(0, 100), colours)
            canvas.colorbar(shades, ax=axes, label="utilisation (%)", fraction=0.03, pad=0.01)
