export type Labels = Readonly<Record<string, string>>;

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
