import { routes } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { AnswerRecorder } from '../answers/recorder.ts';
import { refusedRequests } from '../answers/requests.ts';
import { askOne, wireRequest } from '../http/wire.ts';
import { everyThird } from '../kit/rounds.ts';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { ROOMY } from '../payments/calls.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const VERBS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE'];

const marketNow = () => NOW;
const on = await stopAfterTests(startTestGateway(ROOMY, { paid: true, marketNow }));
const { solana } = on;
if (!solana) throw new Error('nothing is sold');
const off = await stopAfterTests(startTestGateway({ ...ROOMY, CONSOLE: 'off' }, { solana, marketNow }));

/** The bytes of an answer without its date. */
async function bytesFor(verb: string, target: string): Promise<string> {
  const lines = [`Host: 127.0.0.1:${off.port}`, 'Accept: text/html', 'X-Request-Id: the-same'];
  const answer = await askOne(off.port, wireRequest(verb, target, lines));
  return JSON.stringify({ ...answer, headers: { ...answer?.headers, date: '' } });
}

describe('CONSOLE=off', () => {
  it.each(['/', '/console/icon.svg', '/console/rpc/mainnet'])(
    'answers %s like an unknown path, for every verb',
    async (target) => {
      for (const verb of VERBS) expect(await bytesFor(verb, target)).toBe(await bytesFor(verb, '/nothing'));
    },
  );

  it('changes no answer of any route', async () => {
    for (const [row, route] of routes.entries()) {
      for (const [title, [target, init]] of everyThird(Object.entries(refusedRequests(route)), row)) {
        const [one, other] = await Promise.all(
          [on, off].map(async (gateway) => new AnswerRecorder().record(await fetch(`${gateway.url}${target}`, init))),
        );
        expect(one, `${route.id} ${title}`).toBe(other);
      }
    }
  }, 60_000);
});
