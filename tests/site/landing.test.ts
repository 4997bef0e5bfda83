import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { askSigned } from '../kit/wallet.ts';

const BLOCK = /^```http\n([\s\S]*?)^```$/gm;
const [request = '', answer = ''] = Array.from(
  readFileSync('docs/index.md', 'utf8').matchAll(BLOCK),
  ([, block = '']) => block,
);
const MARKET_NOW = Date.parse('2026-11-24T12:00:00Z');

const gateway = await stopAfterTests(
  startTestGateway({ TOKENS_RATE_LIMIT_PER_MINUTE: '30' }, { marketNow: () => MARKET_NOW }),
);

/** The parts of the shown answer between what it leaves out, without the spaces of its layout. */
const partsOf = (text: string): string[] =>
  text
    .replaceAll(/\s+/g, '')
    .replace(/^200OK/, '200')
    .split('…')
    .filter(Boolean);

it('the landing page shows an answer of the sandbox', async () => {
  const [, path = ''] = /^GET (\S+)$/m.exec(request) ?? [];
  const response = await askSigned(gateway.url + path);
  const headers = ['RateLimit', 'Replay-Nonce'].map((name) => `${name}: ${response.headers.get(name)}`);
  const given = [response.status, ...headers, await response.text()].join('').replaceAll(/\s+/g, '');
  const parts = partsOf(answer);
  expect(parts.length).toBeGreaterThan(4);
  let rest = given;
  for (const part of parts) {
    expect(rest).toContain(part);
    rest = rest.slice(rest.indexOf(part) + part.length);
  }
});
