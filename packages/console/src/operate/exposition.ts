import { Figures, type Labels, type Sample } from './figures.ts';

/** More than any gateway exports; the rest is ignored. */
const MAX_LINES = 20_000;
const PREFIX = 'asset_gateway_';
const TYPE = '# TYPE ';
const ESCAPED = /\\([\s\S])/g;

const withoutPrefix = (name: string): string => (name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name);

/** Reads a label value that starts at `from`; returns it and the index of its closing quote. */
function readText(line: string, from: number): readonly [text: string, end: number] {
  let end = from;
  while (end < line.length && line[end] !== '"') end += line[end] === '\\' ? 2 : 1;
  return [line.slice(from, end).replace(ESCAPED, (_, letter: string) => (letter === 'n' ? '\n' : letter)), end];
}

/** Reads labels that start at `from`; returns the index after them, or undefined if they do not end. */
function readLabels(line: string, from: number, into: Record<string, string>): number | undefined {
  let at = from;
  while (line[at] !== '}') {
    const equals = line.indexOf('="', at);
    if (equals < 0) return undefined;
    const [text, end] = readText(line, equals + 2);
    into[line.slice(at, equals)] = text;
    at = line[end + 1] === ',' ? end + 2 : end + 1;
  }
  return at + 1;
}

const numberIn = (text: string): number => (text === '' ? Number.NaN : Number(text.replace('Inf', 'Infinity')));

function readSample(line: string): Sample | undefined {
  const labels: Record<string, string> = Object.create(null);
  const brace = line.indexOf('{');
  const end = brace < 0 ? line.indexOf(' ') : readLabels(line, brace + 1, labels);
  if (end === undefined || end < 1) return undefined;
  const value = numberIn(line.slice(end).trim().split(' ', 1)[0] ?? '');
  const name = withoutPrefix(line.slice(0, brace < 0 ? end : brace));
  return name === '' || Number.isNaN(value)
    ? undefined
    : { name, labels: labels as Labels, series: line.slice(0, end), value };
}

/** Reads Prometheus' text format in one pass. Skips invalid lines and values that are not numbers. */
export function readExposition(text: string): Figures {
  const samples: Sample[] = [];
  const counters = new Set<string>();
  for (const line of text.split('\n', MAX_LINES)) {
    const sample = line.startsWith('#') ? undefined : readSample(line);
    if (sample) samples.push(sample);
    if (!line.startsWith(TYPE)) continue;
    const [name = '', type] = line.slice(TYPE.length).split(' ', 2);
    if (type === 'counter') counters.add(withoutPrefix(name));
    if (type === 'histogram')
      for (const part of ['_bucket', '_sum', '_count']) counters.add(withoutPrefix(name) + part);
  }
  return new Figures(samples, counters);
}
