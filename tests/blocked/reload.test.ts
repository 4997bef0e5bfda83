import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { readConfig } from '@asset-gateway/gateway';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BlockedFile, readListFile } from '../../packages/gateway/src/blocked/file.ts';
import { MAX_LINES } from '../../packages/gateway/src/blocked/list.ts';
import { addresses, BLOCKED_ADDRESS, type ListFixture, newList, OTHER_ADDRESS } from './kit.ts';

const KEPT = 'the last good list stays in force';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Turns the clock of the checks forward; files are read in real time. */
async function passSecond(): Promise<void> {
  await vi.advanceTimersByTimeAsync(1_000);
  await pause(20);
}

/** A watched list of one address. */
function watch() {
  const notices: string[] = [];
  const list = newList(BLOCKED_ADDRESS);
  const file = new BlockedFile(readListFile(list.path), (notice) => notices.push(notice));
  return {
    notices,
    list,
    /** Which of both addresses are blocked. */
    blocked: () => [BLOCKED_ADDRESS, OTHER_ADDRESS].map((address) => file.list.hasAddress(address)),
    /** Changes the file; returns the next notice. */
    async noticeAfter(change: (list: ListFixture) => void): Promise<string> {
      const count = notices.length;
      change(list);
      for (let second = 0; second < 500 && notices.length === count; second++) await passSecond();
      return notices[count] ?? 'no notice';
    },
  };
}

describe('the list in force', () => {
  it('is logged at the start, and reloaded when the file is written or replaced', async () => {
    const { notices, noticeAfter, blocked } = watch();
    expect(notices).toEqual(['BLOCKED_FILE: blocked wallets: 0; address ranges: 1']);
    expect(blocked()).toEqual([true, false]);
    await noticeAfter((list) => list.write(OTHER_ADDRESS));
    expect(blocked()).toEqual([false, true]);
    await noticeAfter(({ path }) => {
      writeFileSync(`${path}.new`, '203.0.113.0/24\n');
      renameSync(`${path}.new`, path);
    });
    expect(blocked()).toEqual([true, false]);
  });

  it.each<[string, (list: ListFixture) => void, RegExp]>([
    ['a bad line', (list) => list.write(OTHER_ADDRESS, '203.0.113/24'), /line 2 is not a wallet/],
    ['more than 100,000 lines', (list) => list.write('#\n'.repeat(MAX_LINES + 1)), /has more than 100,000 lines/],
    ['more than 16 MiB', (list) => list.write('#'.repeat(17_000_000)), /is larger than 16 MiB/],
    ['nothing, as it is gone', ({ path }) => rmSync(path), /does not exist/],
  ])('stays if the file has %s, which is logged once', async (_, change, fault) => {
    const { notices, list, noticeAfter, blocked } = watch();
    const notice = await noticeAfter(change);
    expect(notice).toMatch(fault);
    expect(notice).toContain(list.path);
    expect(notice.endsWith(KEPT)).toBe(true);
    const count = notices.length;
    expect(blocked()).toEqual([true, false]);
    for (let second = 0; second < 3; second++) await passSecond();
    expect(notices).toHaveLength(count);
    await noticeAfter(() => list.write('# good again'));
    expect(blocked()).toEqual([false, false]);
  });
});

it('a list of 100,000 lines is loaded in turns, between which requests are served', async () => {
  const { noticeAfter, blocked } = watch();
  const taken = noticeAfter((list) => list.write(BLOCKED_ADDRESS, ...addresses(MAX_LINES - 1)));
  let isTaken = false;
  taken.finally(() => {
    isTaken = true;
  });
  let [longestMs, totalMs] = [0, 0];
  while (!isTaken) {
    const before = process.cpuUsage();
    await pause(1);
    const ms = process.cpuUsage(before).user / 1_000;
    totalMs += ms;
    longestMs = Math.max(longestMs, ms);
  }
  expect(await taken).toContain('address ranges: 100000');
  // In one turn it would be all of the work.
  expect(longestMs).toBeLessThan(totalMs / 2);
  expect(blocked()).toEqual([true, false]);
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
