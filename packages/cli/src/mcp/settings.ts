import type { Cluster } from '@asset-gateway/protocol';
import type { Given } from '../commands/command.ts';
import { Misunderstood } from '../misunderstood.ts';
import { dollarsIn } from '../options.ts';
import type { Budget } from './calls.ts';

/** What the words of the command say. */
export interface Settings {
  /** Serves HTTP there; stdio where it is nothing. */
  readonly port: number | undefined;
  readonly isAll: boolean;
  readonly cluster: Cluster;
  readonly budget: Budget;
}

const DEFAULT_PORT = '8405';
const PORT = /^\d{1,5}$/;

function oneOf<T extends string>(text: string, values: readonly T[], name: string): T {
  const found = values.find((value) => value === text);
  if (!found) throw new Misunderstood(`${name} is one of ${values.join(', ')}`);
  return found;
}

function portIn([text = DEFAULT_PORT, ...more]: readonly string[]): number {
  const port = Number(text);
  if (more.length > 0 || !PORT.test(text) || port > 65_535) throw new Misunderstood('--http takes a port');
  return port;
}

/** Reads the words after `mcp`. Throws what was not understood. */
export function readSettings({ words, values, session }: Given): Settings {
  const isHttp = values.is('http');
  const told = ['pay', 'credit'].find((name) => values.is(name));
  if (told) throw new Misunderstood(`mcp pays within --budget-usd, and beyond it asks: leave --${told} out`);
  if (!isHttp && words.length > 0) throw new Misunderstood('mcp takes no words but its options');
  if (isHttp && ['keypair', 'budget-usd'].some((name) => values.text(name) !== undefined)) {
    throw new Misunderstood('--http never pays: leave --keypair and --budget-usd out');
  }
  const budgetUsd = dollarsIn(values.text('budget-usd') ?? '0', '--budget-usd');
  const { perCallUsd, perDayUsd } = session.caps;
  return {
    port: isHttp ? portIn(words) : undefined,
    isAll: oneOf(values.text('tools') ?? 'usual', ['usual', 'all'], '--tools') === 'all',
    cluster: oneOf(values.text('cluster') ?? 'mainnet', ['mainnet', 'devnet'], '--cluster'),
    // A limit that was set for all that this user spends holds here too.
    budget: { perCallUsd: Math.min(budgetUsd, perCallUsd), perDayUsd: Math.min(budgetUsd, perDayUsd) },
  };
}
