import { Refusal, type Route, routes } from '@asset-gateway/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import type { Answer, Call, Endpoint, Gate, Upstream } from '../../packages/gateway/src/call.ts';
import { publicGate } from '../../packages/gateway/src/gates/gate.ts';
import { createGateway, type GatewayDependencies } from '../../packages/gateway/src/gateway.ts';
import { createMatch } from '../../packages/gateway/src/stages/match.ts';
import type { LogLine } from '../../packages/gateway/src/stages/trail.ts';
import { createReader } from '../../packages/gateway/src/stages/validate.ts';
import { listen } from './bare-server.ts';
import { expectRefusal } from './error-table.ts';
import { pathOf, rowOf } from './targets.ts';
import { seen, type WireAnswer } from './wire.ts';

const SECRET = 'what only we may know';
const HEALTH = pathOf(rowOf('tokens.health'));

/** Values to throw. */
const THROWN: Readonly<Record<string, unknown>> = {
  'an error': new Error(SECRET),
  'an error with a code': Object.assign(new Error(SECRET), { code: 'EACCES', status: 418, statusCode: 418 }),
  text: SECRET,
  nothing: undefined,
  'an object': { status: 200, body: SECRET },
};

let thrown: unknown;
type Place = 'open' | 'gate' | 'validate' | 'slot' | 'upstream' | 'settle' | 'headers' | 'challenge' | 'log' | 'none';
let place: Place = 'none';
const throwAt = (here: Place): void => {
  if (place === here) throw thrown;
};

const answer = { json: '{"fine":true}' } satisfies Answer;
const upstream: Upstream = {
  async answer({ slots }) {
    await slots.take({ key: 'b', limit: 1, windowMs: 1, inFlightMs: 1 });
    throwAt('upstream');
    return answer;
  },
};
const liveness: Upstream = { answer: async () => answer };
const headers = () => {
  throwAt('headers');
  return {};
};
const gate: Gate = {
  async serve(_call, trail, prepare) {
    throwAt('gate');
    if (place === 'challenge') throw new Refusal('sign_in_required');
    trail.headers = headers;
    const given = await prepare()({});
    throwAt('settle');
    return { answer: given, receipt: { headers: {} } };
  },
  challenge() {
    throwAt('challenge');
    return undefined;
  },
};

const lines: LogLine[] = [];
const log = (line: LogLine): void => {
  throwAt('log');
  lines.push(line);
};
const failures: unknown[] = [];
const onFailure = (error: unknown): void => void failures.push(error);

function endpointOf(route: Route): Endpoint {
  const read = createReader(route);
  return {
    route,
    gate: route.access === 'public' ? publicGate : gate,
    read(call: Call) {
      throwAt('validate');
      return read(call);
    },
    slots: () => ({
      async take() {
        throwAt('slot');
        return { usedMs: 0, release: () => undefined };
      },
    }),
    upstream: route.provider === 'gateway' ? liveness : upstream,
  };
}

const parts: GatewayDependencies = {
  log,
  randomId: () => {
    throwAt('open');
    return 'fresh-id';
  },
  match: createMatch(routes.map(endpointOf)),
  onFailure,
};

const { server, port } = await listen({ handle: createGateway(parts), onFailure });
afterAll(() => server.drain(1_000));
const url = `http://127.0.0.1:${port}`;

const ask = async (path: string, init: RequestInit = {}): Promise<WireAnswer> => seen(await fetch(url + path, init));

/** Expects a 500 without details, and that the next requests are served. */
async function expectFailure(failed: WireAnswer): Promise<void> {
  place = 'none';
  expectRefusal(failed, '500 internal_error');
  expect(JSON.stringify(failed)).not.toMatch(new RegExp(`${SECRET}|\\bat |\\.ts|node:`));
  expect((await ask(HEALTH)).status).toBe(200);
  expect((await ask('/healthz')).status).toBe(200);
}

describe.each(['gate', 'validate', 'slot', 'upstream', 'settle'] as const)('H16 a failure in %s', (where) => {
  it.each(Object.keys(THROWN))('%s: a 500 without details', async (name) => {
    [place, thrown] = [where, THROWN[name]];
    const failed = await ask(HEALTH, { headers: { 'X-Request-Id': 'mine' } });
    const line = lines.at(-1);
    await expectFailure(failed);
    expect(failed.headers['x-request-id']).toBe('mine');
    expect(failed.headers['cache-control']).toBe('private, no-store');
    expect(line).toMatchObject({ status: 500, error: 'internal_error', requestId: 'mine' });
    if (name === 'an error') expect(line?.reason).toContain(SECRET);
  });
});

/** Where the pipeline itself fails. */
describe.each(['open', 'headers', 'challenge', 'log'] as const)('H16 a failure of the pipeline in %s', (where) => {
  it.each(Object.keys(THROWN))('%s: a 500 without details, reported to onFailure', async (name) => {
    failures.length = 0;
    [place, thrown] = [where, THROWN[name]];
    await expectFailure(await ask(HEALTH));
    expect(failures).toEqual([THROWN[name]]);
  });
});

describe('H16 a server whose gateway rejects', () => {
  it.each(Object.keys(THROWN))('%s: a 500 without details, and the server goes on', async (name) => {
    let isBroken = true;
    const fine = { status: 204, headers: {}, body: '' };
    const handle = async () => (isBroken ? Promise.reject(THROWN[name]) : fine);
    const bare = await listen({ handle, onFailure });
    const at = `http://127.0.0.1:${bare.port}`;
    const failed = await seen(await fetch(at));
    isBroken = false;
    expectRefusal(failed, '500 internal_error');
    expect(JSON.stringify(failed)).not.toContain(SECRET);
    expect(failures.at(-1)).toBe(THROWN[name]);
    expect((await fetch(at)).status).toBe(204);
    await bare.server.drain(1_000);
  });
});
