import { METHODS } from 'node:http';
import { consoleRoutes, faucetRoute } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { faultsOf } from '../http/error-table.ts';
import { SPELLINGS, UNREADABLE } from '../http/spellings.ts';
import { pathOf } from '../http/targets.ts';
import { askAll, askOne, wireRequest } from '../http/wire.ts';
import { isFull } from '../kit/rounds.ts';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway } from '../kit/test-gateway.ts';

/** CONNECT never reaches the application: the connection is closed. */
const OTHERS = METHODS.filter((verb) => !['CONNECT', 'GET', 'HEAD', 'OPTIONS', 'POST'].includes(verb));
const VERBS = ['GET', 'HEAD', 'OPTIONS', 'POST', ...(isFull ? OTHERS : ['DELETE', 'TRACE'])];
const ROWS = [...consoleRoutes, faucetRoute];

const gateway = await stopAfterTests(startTestGateway({}, { paid: true }));

const requestsFor = (verb: string, spellings: typeof SPELLINGS) =>
  ROWS.flatMap((route) =>
    Object.values(spellings).map((spell) => {
      const path = route.path.includes(':') ? pathOf(route) : route.path;
      return wireRequest(verb, spell(path), [`Host: 127.0.0.1:${gateway.port}`]);
    }),
  );

function expectNoUpstreamCall(): void {
  expect(gateway.upstream.arrivals).toEqual([]);
  expect(gateway.solana?.provider.arrivals).toEqual([]);
  expect(gateway.solana?.mainnet.transfers.filter(({ to }) => to === gateway.solana?.payTo)).toEqual([]);
}

describe('every console route in every spelling', () => {
  it.each(VERBS)('%s gets an error of the table or public data', async (verb) => {
    const requests = requestsFor(verb, SPELLINGS);
    const answers = await askAll(gateway.port, requests);
    const faults = answers.flatMap((answer, at) => {
      const found = [...faultsOf(answer, verb), ...((answer?.status ?? 0) >= 500 ? ['a 5xx'] : [])];
      // Files of the page are revalidated instead.
      const isFile = answer?.headers['cache-control'] === 'no-cache' && answer.headers.etag !== undefined;
      const wrong = found.filter((fault) => !(isFile && fault.endsWith('no Cache-Control')));
      return wrong.map((fault) => `${requests[at]?.bytes.split('\r\n', 1)[0]}: ${fault}`);
    });
    expect(faults).toEqual([]);
    expectNoUpstreamCall();
  });

  it.each(['GET', 'POST'])('%s of an unreadable target is a 400', async (verb) => {
    const requests = requestsFor(verb, UNREADABLE);
    const answers = await Promise.all(requests.map((request) => askOne(gateway.port, request)));
    expect(new Set(answers.map((answer) => answer?.status))).toEqual(new Set([400]));
    expectNoUpstreamCall();
  });
});
