import 'uplot/dist/uPlot.min.css';
import uPlot from 'uplot';
import { theme } from './theme.tsx';

/** Reads an element's colour at each drawing, so that the chart follows the theme. */
export const colourIn = (figure: Element, selector: string) => (): string =>
  getComputedStyle(figure.querySelector(selector) ?? figure).color;

/** A chart's options. It takes its width from its element. */
export type PlotOptions = Omit<uPlot.Options, 'width'>;

/** Draws a chart in a figure's `.plot`. It follows the width and the colour scheme. Returns the chart, and a function that removes it. */
export function plotIn(figure: HTMLElement, { cursor, ...options }: PlotOptions, data: uPlot.AlignedData) {
  const element = figure.querySelector<HTMLElement>('.plot') ?? figure;
  const size = () => ({ width: element.clientWidth, height: options.height });
  const fixed = { legend: { show: false }, cursor: { drag: { x: false, y: false }, ...cursor } };
  const plot = new uPlot({ ...options, ...fixed, ...size() }, data, element);
  const observer = new ResizeObserver(() => plot.setSize(size()));
  observer.observe(element);
  const redraw = () => plot.redraw();
  theme.addEventListener('change', redraw);
  const remove = () => {
    theme.removeEventListener('change', redraw);
    observer.disconnect();
    plot.destroy();
  };
  return [plot, remove] as const;
}
