import 'uplot/dist/uPlot.min.css';
import uPlot from 'uplot';

const dark = matchMedia('(prefers-color-scheme: dark)');

/** Reads the colour of an element of a figure at each drawing, so that the chart follows the theme. */
export const colourIn = (figure: Element, selector: string) => (): string =>
  getComputedStyle(figure.querySelector(selector) ?? figure).color;

/** Draws a chart that follows the width of its element and the colour scheme. Returns it, and a function that removes it. */
export function plotIn(
  element: HTMLElement,
  { cursor, ...options }: Omit<uPlot.Options, 'width'>,
  data: uPlot.AlignedData,
): readonly [uPlot, () => void] {
  const size = () => ({ width: element.clientWidth, height: options.height });
  const fixed = { legend: { show: false }, cursor: { drag: { x: false, y: false }, ...cursor } };
  const plot = new uPlot({ ...options, ...fixed, ...size() }, data, element);
  const observer = new ResizeObserver(() => plot.setSize(size()));
  observer.observe(element);
  const redraw = () => plot.redraw();
  dark.addEventListener('change', redraw);
  const remove = () => {
    dark.removeEventListener('change', redraw);
    observer.disconnect();
    plot.destroy();
  };
  return [plot, remove];
}
