import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { readConfig } from '@asset-gateway/gateway';
import { describe, expect, it } from 'vitest';
import { MAX_LINES } from '../../packages/gateway/src/blocked/list.ts';
import { pathOf, rowOf } from '../http/targets.ts';
import { testInCi } from '../kit/optional.ts';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { BLOCKED_ADDRESS, from, type ListFixture, newList, nextNotice, noticesIn, OTHER_ADDRESS } from './kit.ts';

const HEALTH = pathOf(rowOf('tokens.health'));
const KEPT = 'the last good list stays in force';
/** Longer than two checks of the file. */
const LOOKS_MS = 3_000;

/** A gateway with a list of its own. */
interface Node {
  readonly gateway: TestGateway;
  readonly list: ListFixture;
}
async function openNode(): Promise<Node> {
  const list = newList(BLOCKED_ADDRESS);
  return { list, gateway: await startTestGateway(list.variables) };
}
const node = await openNode();

/** Statuses of an unsigned request from each address. */
const statuses = ({ gateway }: Node) =>
  Promise.all(
    [BLOCKED_ADDRESS, OTHER_ADDRESS].map(
      async (address) => (await fetch(gateway.url + HEALTH, { headers: from(address) })).status,
    ),
  );

/** Changes the file; returns the next log message. */
function noticeAfter(change: (list: ListFixture) => void, { gateway, list }: Node): Promise<string> {
  const count = noticesIn(gateway.logLines).length;
  change(list);
  return nextNotice(gateway.logLines, count + 1);
}

describe('the list in force', () => {
  it('is logged at the start', () => {
    expect(noticesIn(node.gateway.logLines)).toEqual(['BLOCKED_FILE: blocked wallets: 0; address ranges: 1']);
  });

  it('is reloaded when the file is written or replaced', async () => {
    expect(await statuses(node)).toEqual([403, 402]);
    await noticeAfter((list) => list.write(OTHER_ADDRESS), node);
    expect(await statuses(node)).toEqual([402, 403]);
    await noticeAfter(({ path }) => {
      writeFileSync(`${path}.new`, '203.0.113.0/24\n');
      renameSync(`${path}.new`, path);
    }, node);
    expect(await statuses(node)).toEqual([403, 402]);
    await noticeAfter((list) => list.write('203.0.113.9/32'), node);
    expect(await statuses(node)).toEqual([402, 402]);
  });

  it.concurrent.each<[string, (list: ListFixture) => void, RegExp]>([
    ['a bad line', (list) => list.write(OTHER_ADDRESS, '203.0.113/24'), /line 2 is not a wallet/],
    [
      'more lines than any list may have',
      (list) => list.write('#\n'.repeat(MAX_LINES + 1)),
      /has more than 100,000 lines/,
    ],
    ['more bytes than any list may have', (list) => list.write('#'.repeat(17_000_000)), /is larger than 16 MiB/],
    ['nothing, as it is gone', ({ path }) => rmSync(path), /does not exist/],
  ])('stays if the file has %s, which is logged once', async (_, change, fault) => {
    const own = await openNode();
    const { gateway, list } = own;
    const notice = await noticeAfter(change, own);
    expect(notice).toMatch(fault);
    expect(notice).toContain(list.path);
    expect(notice.endsWith(KEPT)).toBe(true);
    const said = noticesIn(gateway.logLines).length;
    expect(await statuses(own)).toEqual([403, 402]);
    await pause(LOOKS_MS);
    expect(noticesIn(gateway.logLines)).toHaveLength(said);
    await noticeAfter(() => list.write('# good again'), own);
    expect(await statuses(own)).toEqual([402, 402]);
  });

  testInCi('of 100,000 lines is loaded while requests are served', {}, async () => {
    const { gateway } = node;
    const lines = Array.from(
      { length: MAX_LINES - 1 },
      (_, index) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
    );
    const taken = noticeAfter((list) => list.write(BLOCKED_ADDRESS, ...lines), node);
    let isTaken = false;
    taken.finally(() => {
      isTaken = true;
    });
    let served = 0;
    while (!isTaken) {
      served += (await fetch(`${gateway.url}/healthz`)).ok ? 1 : 0;
      await pause(10);
    }
    expect(await taken).toContain('address ranges: 100000');
    expect(served).toBeGreaterThan(10);
    expect(await statuses(node)).toEqual([403, 402]);
  });
});

describe('a gateway does not start', () => {
  it.each<[string, string, RegExp]>([
    ['without its file', '/no/such/file', /^BLOCKED_FILE: \/no\/such\/file does not exist\.$/],
    ['with a folder', '.', /^BLOCKED_FILE: \. is not a file\.$/],
    ['with a bad line', newList('# who', 'nobody').path, /^BLOCKED_FILE: \S+ line 2 is not a wallet.*\.$/],
  ])('%s', (_, BLOCKED_FILE, fault) => {
    expect(() => readConfig({ TOKENS_API_KEY: 'key', BLOCKED_FILE })).toThrow(fault);
  });
});

it('the start warns of addresses in the list without TRUST_PROXY', () => {
  const noticesOf = (...lines: string[]) => {
    const { BLOCKED_FILE } = newList(...lines).variables;
    return readConfig({ TOKENS_API_KEY: 'key', BLOCKED_FILE, GATEWAY_BASE_URL: 'https://gateway.example' }).notices;
  };
  expect(noticesOf(OTHER_ADDRESS)).toEqual([
    expect.stringMatching(/^BLOCKED_FILE lists addresses without TRUST_PROXY/),
  ]);
  expect(noticesOf('1'.repeat(32))).toEqual([]);
});
