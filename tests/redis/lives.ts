import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Script } from '../../packages/gateway/src/stores/redis/script.ts';
import type { RedisServer } from '../kit/redis.ts';

const [SECOND, MINUTE] = [1_000, 60_000];
const UNITS: Readonly<Record<string, number>> = { s: SECOND, min: MINUTE };
const [NO_END, AS_ASKED] = [-1, 0];

/** How long each kind of key lives, and in which of its states. */
export const LIVES = {
  state: { always: NO_END },
  slots: { held: 75 * SECOND },
  limits: { held: 75 * SECOND },
  holders: { charged: 75 * SECOND },
  counts: { charged: 75 * SECOND },
  pause: { asked: AS_ASKED },
  nonce: { used: 6 * MINUTE },
  entry: { shared: AS_ASKED },
  lease: { held: AS_ASKED },
  entries: { filled: AS_ASKED },
  'entry-sizes': { filled: AS_ASKED },
} as const;

/** By key, the lives that docs/redis.md names, in their order. */
export function readLives(): Record<string, number[]> {
  const lives: Record<string, number[]> = {};
  const [, table = ''] = readFileSync('docs/redis.md', 'utf8').split('| key | when | lives for |\n|---|---|---|\n');
  for (const row of table.split('\n\n', 1)[0]?.split('\n') ?? []) {
    const [keys = '', , life = ''] = row.slice(2, -2).split(' | ');
    const [amount, unit = ''] = life.split(' ');
    const milliseconds = life === 'no end' ? NO_END : Number(amount) * (UNITS[unit] ?? 0) || AS_ASKED;
    for (const [, key = ''] of keys.matchAll(/`([\w-]+)`/g)) lives[key] = [...(lives[key] ?? []), milliseconds];
  }
  return lives;
}

/** A step, with the keys whose lifetimes it sets, and the keys that it deletes. */
export interface Step {
  readonly does: string;
  run(): Promise<unknown>;
  readonly sets?: Readonly<Record<string, number>>;
  readonly ends?: readonly string[];
}

/** Runs the steps, and checks every key under this tag after each. */
export async function expectLives(redis: RedisServer, tag: string, steps: readonly Step[]): Promise<void> {
  const lives = new Map<string, { readonly life: number; readonly sinceMs: number }>();
  for (const { does, run, sets = {}, ends = [] } of steps) {
    // Separates new lifetimes from old ones.
    await sleep(30);
    const sinceMs = performance.now();
    await run();
    for (const [key, life] of Object.entries(sets)) lives.set(key, { life, sinceMs });
    for (const key of ends) expect(lives.delete(key)).toBe(true);
    const keys = (await redis.command('KEYS', `{gw:${tag}}:*`)) as string[];
    const names = keys.map((key) => key.slice(`{gw:${tag}}:`.length));
    expect({ does, leaves: names.sort() }).toEqual({ does, leaves: [...lives.keys()].sort() });
    for (const [key, { life, sinceMs }] of lives) {
      const left = Number(await redis.command('PTTL', `{gw:${tag}}:${key}`));
      const least = life === NO_END ? NO_END : life - Math.ceil(performance.now() - sinceMs) - 1;
      const isRight = left >= least && left <= life;
      expect({ does, key, left: isRight || left }).toEqual({ does, key, left: true });
    }
  }
}

/** Expects that Redis has run all scripts of a module. */
export async function expectAllRun(redis: RedisServer, scripts: Readonly<Record<string, unknown>>): Promise<void> {
  const hashes = Object.entries(scripts).filter(([, script]) => Object.hasOwn(Object(script), 'sha1'));
  for (const [name, script] of hashes) {
    expect([name, await redis.command('SCRIPT', 'EXISTS', (script as Script).sha1)]).toEqual([name, [1]]);
  }
}
