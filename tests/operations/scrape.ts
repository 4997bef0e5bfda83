import { expect } from 'vitest';

type Labels = Readonly<Record<string, string>>;

interface Sample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

const SAMPLE = /^(?<name>[a-z_]\w*)(?:\{(?<labels>.*)\})? (?<value>\S+)$/;

function readSample(line: string): Sample {
  const { name = '', labels = '', value = '' } = SAMPLE.exec(line)?.groups ?? {};
  const pairs = [...labels.matchAll(/(?<key>\w+)="(?<text>[^"]*)"/g)];
  const named = pairs.map(({ groups }) => [groups?.key ?? '', groups?.text ?? '']);
  return { name, labels: Object.fromEntries(named), value: Number(value) };
}

/** One scrape. */
export class Scrape {
  readonly text: string;
  readonly #samples: readonly Sample[];

  constructor(text: string) {
    this.text = text;
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    this.#samples = lines.map(readSample);
  }

  /** The families by name, as `# TYPE` says them. */
  get types(): ReadonlyMap<string, string> {
    return new Map([...this.text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]));
  }

  /** The label names that the samples of a family have. */
  labelNames(name: string): string[] {
    const isOfFamily = (sample: Sample) => sample.name.replace(/_(?:bucket|sum|count)$/, '') === name;
    const samples = this.#samples.filter((sample) => sample.name === name || isOfFamily(sample));
    return [...new Set(samples.flatMap(({ labels }) => Object.keys(labels)))].filter((label) => label !== 'le');
  }

  /** How many series there are. */
  get size(): number {
    return this.#samples.length;
  }

  /** The sum over all series with this name and at least these labels; nothing when there is none. */
  sum(name: string, labels: Labels = {}): number | undefined {
    const isMeant = (sample: Sample) =>
      sample.name === name && Object.entries(labels).every(([key, text]) => sample.labels[key] === text);
    const found = this.#samples.filter(isMeant);
    return found.length === 0 ? undefined : found.reduce((total, { value }) => total + value, 0);
  }
}

/** Scrapes a gateway. */
export async function scrape({ metricsUrl }: { readonly metricsUrl?: string }): Promise<Scrape> {
  const response = await fetch(metricsUrl ?? '');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return new Scrape(await response.text());
}
