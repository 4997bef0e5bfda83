import { type Diagnosis, diagnose } from '../../packages/doctor/src/examine.ts';
import { explore } from '../../packages/doctor/src/explore.ts';
import type { Ask } from '../../packages/doctor/src/http-client.ts';
import { type Alter, type Exchange, passedOn } from './proxy.ts';

/** Request headers that do not identify a request. */
const IGNORED = ['host', 'connection', 'accept', 'content-length'];

/** Identifies a request of a record. */
function keyOf(method: string, target: string, headers: Readonly<Record<string, unknown>>): string {
  const lowered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const);
  const own = lowered.filter(([name]) => !IGNORED.includes(name));
  return JSON.stringify([method, target, own.sort()]);
}

/** Replays changed answers, in the order of the recorded requests. */
function replaying(origin: string, exchanges: readonly Exchange[], alter: Alter): Ask {
  const left = new Map<string, Exchange[]>();
  for (const exchange of exchanges) {
    const key = keyOf(exchange.method, exchange.target, exchange.asked);
    left.set(key, [...(left.get(key) ?? []), exchange]);
  }
  return async (method, target, { headers = {} } = {}) => {
    const recorded = left.get(keyOf(method, target, headers))?.shift();
    if (!recorded) throw new Error(`${method} ${target} was recorded fewer times`);
    return { method, url: origin + target, ...passedOn(recorded, alter) };
  };
}

/** Examines a gateway by its recorded and changed answers. */
export const examineRecord = async (
  origin: string,
  exchanges: readonly Exchange[],
  alter: Alter = () => undefined,
): Promise<Diagnosis> => diagnose(await explore(origin, replaying(origin, exchanges, alter)));
