export type Labels = Readonly<Record<string, string>>;

/** One value, and what tells it from others of its name. */
export interface Sample {
  /** Without the prefix that all of the gateway's own have. */
  readonly name: string;
  readonly labels: Labels;
  /** Name and labels as they were written. */
  readonly series: string;
  readonly value: number;
}

/** What labels have to be. */
export type Wanted = Readonly<Record<string, string | RegExp>>;

const isWanted = ({ labels }: Sample, wanted: Wanted): boolean =>
  Object.entries(wanted).every(([name, text]) => {
    const given = labels[name] ?? '';
    return typeof text === 'string' ? text === given : text.test(given);
  });

/** What a gateway has counted and measured, or what of it has been added in a span of time. */
export class Figures {
  readonly samples: readonly Sample[];
  /** The names of what only ever grows. */
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

  /** Nothing where there is no such sample. */
  sum(name: string, wanted?: Wanted): number | undefined {
    return this.of(name, wanted).reduce<number | undefined>((sum, { value }) => (sum ?? 0) + value, undefined);
  }

  /** Sums by what these labels say together. */
  by(name: string, labels: readonly string[], wanted?: Wanted): ReadonlyMap<string, number> {
    const sums = new Map<string, number>();
    for (const sample of this.of(name, wanted)) {
      const group = groupOf(sample, labels);
      sums.set(group, (sums.get(group) ?? 0) + sample.value);
    }
    return sums;
  }

  /**
   * Below what so large a part of a histogram's values lies, as Prometheus reckons it: within a bucket they are taken to lie
   * evenly, and beyond the last bound there is nothing to tell. Nothing where there are no values.
   */
  quantile(part: number, name: string, wanted?: Wanted): number | undefined {
    const sums = this.by(`${name}_bucket`, ['le'], wanted);
    const buckets = [...sums].map(([le, count]) => ({
      le: le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le),
      count,
    }));
    buckets.sort((one, other) => one.le - other.le);
    const rank = part * (buckets.at(-1)?.count ?? 0);
    const index = rank > 0 ? buckets.findIndex(({ count }) => count >= rank) : -1;
    const bucket = buckets[index];
    if (!bucket) return undefined;
    const { le, count } = buckets[index - 1] ?? { le: 0, count: 0 };
    return Number.isFinite(bucket.le) ? le + ((bucket.le - le) * (rank - count)) / (bucket.count - count) : le;
  }
}

/** What labels say together, each text once. */
export const groupOf = ({ labels }: Pick<Sample, 'labels'>, names: readonly string[]): string =>
  [...new Set(names.map((name) => labels[name]))].filter(Boolean).join(' ');
