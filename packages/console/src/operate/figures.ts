type Labels = Readonly<Record<string, string>>;

/** One sample of an exposition. */
export interface Sample {
  /** Without the gateway's prefix. */
  readonly name: string;
  readonly labels: Labels;
  /** Name and labels as written. */
  readonly series: string;
  readonly value: number;
}

/** A filter on labels. */
export type Wanted = Readonly<Record<string, string | RegExp>>;

const isWanted = ({ labels }: Sample, wanted: Wanted): boolean =>
  Object.entries(wanted).every(([name, text]) => {
    const given = labels[name] ?? '';
    return typeof text === 'string' ? text === given : text.test(given);
  });

/** The samples of one scrape, or their growth between two scrapes. */
export class Figures {
  readonly samples: readonly Sample[];
  /** Names of counters. */
  readonly counters: ReadonlySet<string>;
  readonly #byName: ReadonlyMap<string, readonly Sample[]>;

  constructor(samples: readonly Sample[], counters: ReadonlySet<string>) {
    const byName = new Map<string, Sample[]>();
    for (const sample of samples) {
      const others = byName.get(sample.name);
      if (others) others.push(sample);
      else byName.set(sample.name, [sample]);
    }
    this.samples = samples;
    this.counters = counters;
    this.#byName = byName;
  }

  of(name: string, wanted: Wanted = {}): readonly Sample[] {
    return (this.#byName.get(name) ?? []).filter((sample) => isWanted(sample, wanted));
  }

  /** Undefined if there is no such sample. */
  sum(name: string, wanted?: Wanted): number | undefined {
    return this.of(name, wanted).reduce<number | undefined>((sum, { value }) => (sum ?? 0) + value, undefined);
  }

  /** Sums by the values of these labels. */
  by(name: string, labels: readonly string[], wanted?: Wanted): ReadonlyMap<string, number> {
    const sums = new Map<string, number>();
    for (const sample of this.of(name, wanted)) {
      const group = groupOf(sample, labels);
      sums.set(group, (sums.get(group) ?? 0) + sample.value);
    }
    return sums;
  }

  /**
   * A quantile of a histogram as Prometheus computes it: values are spread evenly within a bucket, and the last bound is the
   * maximum. Undefined without values.
   */
  quantile(fraction: number, name: string, wanted?: Wanted): number | undefined {
    const sums = this.by(`${name}_bucket`, ['le'], wanted);
    const buckets = [...sums].map(([le, count]) => ({
      le: le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le),
      count,
    }));
    buckets.sort((one, other) => one.le - other.le);
    const rank = fraction * (buckets.at(-1)?.count ?? 0);
    const index = rank > 0 ? buckets.findIndex(({ count }) => count >= rank) : -1;
    const bucket = buckets[index];
    if (!bucket) return undefined;
    const { le, count } = buckets[index - 1] ?? { le: 0, count: 0 };
    return Number.isFinite(bucket.le) ? le + ((bucket.le - le) * (rank - count)) / (bucket.count - count) : le;
  }
}

/** The distinct values of these labels, joined. */
export const groupOf = ({ labels }: Pick<Sample, 'labels'>, names: readonly string[]): string =>
  [...new Set(names.map((name) => labels[name]))].filter(Boolean).join(' ');

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

/** The fee of a settlement without a priority fee. */
const LEAST_LAMPORTS = 10_001;

/** The average fee of a settlement, in lamports. */
export function feeOf(now: Figures): number {
  const settled = now.sum('settlements_total', { state: 'settled' }) ?? 0;
  const spent = now.sum('fee_lamports_total') ?? 0;
  return settled > 0 && spent > 0 ? spent / settled : LEAST_LAMPORTS;
}
