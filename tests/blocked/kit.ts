import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { makeFolder } from '../kit/folder.ts';

/** Addresses that nobody here calls from, unless a proxy says so. */
export const BLOCKED_ADDRESS = '203.0.113.5';
export const OTHER_ADDRESS = '198.51.100.5';

/** A list in a file, which can be written again. */
export interface ListFixture {
  readonly path: string;
  /** What a gateway is given that has this list, and believes its own machine about where clients are. */
  readonly variables: Readonly<Record<string, string>>;
  write(...lines: readonly string[]): void;
}

export function newList(...lines: readonly string[]): ListFixture {
  const path = join(makeFolder(), 'blocked.txt');
  const write = (...entries: readonly string[]) => writeFileSync(path, `${entries.join('\n')}\n`);
  write(...lines);
  return { path, write, variables: { BLOCKED_FILE: path, TRUST_PROXY: '127.0.0.0/8' } };
}

/** As a proxy forwards it. */
export const from = (address: string) => ({ 'X-Forwarded-For': address });

/** What a log says of its list, the last line last. */
export const noticesIn = (logLines: readonly string[]): string[] =>
  logLines
    .map((line) => String((JSON.parse(line) as { msg: string }).msg))
    .filter((text) => text.startsWith('BLOCKED_FILE'));

/** Waits until a log has so many lines about its list, and answers the last. */
export async function nextNotice(logLines: readonly string[], count: number): Promise<string> {
  await vi.waitFor(() => expect(noticesIn(logLines).length).toBeGreaterThanOrEqual(count), {
    timeout: 10_000,
    interval: 50,
  });
  return noticesIn(logLines).at(-1) ?? '';
}

/** Shows that an answer says that its caller is blocked, and asks for nothing. */
export async function expectBlocked(response: Response, state?: string): Promise<void> {
  const body = (await response.json()) as Record<string, unknown>;
  expect([response.status, body]).toEqual([
    403,
    {
      ok: false,
      error: 'blocked',
      message: expect.stringContaining('contact its operator'),
      requestId: expect.any(String),
      ...(state !== undefined && { payment: { state } }),
    },
  ]);
  for (const name of ['payment-required', 'payment-response', 'www-authenticate', 'replay-nonce'])
    expect([name, response.headers.get(name)]).toEqual([name, null]);
}
