import { Gauge, type Registry } from 'prom-client';
import { PREFIX } from './prefix.ts';
import type { Readings } from './readings.ts';

/** Looks up how much is on the list of who is not served, whenever somebody asks for the metrics. */
export function watchBlocked(registry: Registry, readings: Pick<Readings, 'blocked'>): void {
  new Gauge({
    name: `${PREFIX}blocked_entries`,
    help: 'Wallets and ranges of addresses that are not served.',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      const { wallets, ranges } = readings.blocked?.() ?? { wallets: 0, ranges: 0 };
      this.set({ kind: 'wallet' }, wallets);
      this.set({ kind: 'range' }, ranges);
    },
  });
}
