import { type Diagnosis, diagnose } from '../../packages/doctor/src/examine.ts';
import { explore } from '../../packages/doctor/src/explore.ts';
import type { Ask } from '../../packages/doctor/src/http-client.ts';
import { type Alter, type Exchange, passedOn } from './proxy.ts';

/** Headers of a request that are of its connection, or the same in each. */
const OF_EVERY_REQUEST = ['host', 'connection', 'accept', 'content-length'];

/** What tells one request of a record from the others. */
function keyOf(method: string, target: string, headers: Readonly<Record<string, unknown>>): string {
  const lowered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const);
  const own = lowered.filter(([name]) => !OF_EVERY_REQUEST.includes(name));
  return JSON.stringify([method, target, own.sort()]);
}

/** Answers as was answered before, each request in the order in which it had come, and alters the answers. */
function answeringAgain(origin: string, exchanges: readonly Exchange[], alter: Alter): Ask {
  const left = new Map<string, Exchange[]>();
  for (const exchange of exchanges) {
    const key = keyOf(exchange.method, exchange.target, exchange.asked);
    left.set(key, [...(left.get(key) ?? []), exchange]);
  }
  return async (method, target, { headers = {} } = {}) => {
    const recorded = left.get(keyOf(method, target, headers))?.shift();
    if (!recorded) throw new Error(`${method} ${target} has not been recorded as often`);
    return { method, url: origin + target, ...passedOn(recorded, alter) };
  };
}

/** Looks at a gateway whose answers were recorded, and altered since. */
export const examineRecord = async (
  origin: string,
  exchanges: readonly Exchange[],
  alter: Alter = () => undefined,
): Promise<Diagnosis> => diagnose(await explore(origin, answeringAgain(origin, exchanges, alter)));
