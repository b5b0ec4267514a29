import { type RefObject, useEffect, useRef } from "react";
import uPlot from "uplot";

export interface PlotSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Draws a chart into the element of the returned ref, with the element's size, and draws it anew for another `draw`. Calls
 * `onHover` with null when a chart is removed, because its pointer leaves with it.
 */
export function usePlot(
  draw: (size: PlotSize) => readonly [uPlot.Options, uPlot.AlignedData],
  onHover: (hovered: null) => void,
): RefObject<HTMLDivElement | null> {
  const parent = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = parent.current;
    if (element === null) return;
    const size = () => ({ width: element.clientWidth, height: element.clientHeight });
    const chart = new uPlot(...draw(size()), element);
    const observer = new ResizeObserver(() => chart.setSize(size()));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
      onHover(null);
    };
  }, [draw, onHover]);
  return parent;
}
