# SPDX-License-Identifier: MIT
"""The drawing of a machine by Matplotlib, for print."""

from pathlib import Path

from sunstar.files import Outputs
from sunstar.machine.picture import Picture
from sunstar.study.plots import picture

IDLE, BUSY = "#edf1f5", "#b5370b"
MOST_INCHES = 11.0


def draw_machine(files: Outputs, path: Path, drawn: Picture, title: str) -> None:
    """A machine's picture, coloured by utilisation."""
    import matplotlib as mpl
    from matplotlib.patches import Rectangle

    width = min(MOST_INCHES, drawn.width / 8)
    scale = width / drawn.width  # inches a unit
    with picture(files, path, width + 0.9, drawn.height * scale + 0.5, 8) as canvas:
        axes = canvas.subplots()
        colours = mpl.colors.LinearSegmentedColormap.from_list("utilisation", [IDLE, BUSY])
        small = 72 * scale * 0.85
        for box in drawn.boxes:
            frame = box.shape == "frame"
            face = "none" if box.value is None else colours(min(1.0, box.value))
            axes.add_patch(
                Rectangle((box.x, box.y), box.width, box.height, facecolor=face, edgecolor="0.4", linewidth=0.5)
            )
            if frame:
                axes.text(box.x + 0.4, box.y + 0.2, box.name, fontsize=small, va="top")
            elif box.width >= 2 and box.height >= 1.5:
                ink = "white" if box.value is not None and box.value > 0.5 else "black"
                middle = (box.x + box.width / 2, box.y + box.height / 2)
                axes.text(*middle, box.words, fontsize=small, ha="center", va="center", color=ink)
        axes.set_xlim(0, drawn.width)
        axes.set_ylim(drawn.height, 0)
        axes.set_aspect("equal")
        axes.set_axis_off()
        axes.set_title(title)
        if all(box.value is None for box in drawn.boxes):
            return
        shades = mpl.cm.ScalarMappable(mpl.colors.Normalize(0, 100), colours)
        canvas.colorbar(shades, ax=axes, label="utilisation (%)", fraction=0.03, pad=0.01)
