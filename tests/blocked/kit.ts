import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { makeFolder } from '../kit/folder.ts';

/** Client addresses, sent in X-Forwarded-For. */
export const BLOCKED_ADDRESS = '203.0.113.5';
export const OTHER_ADDRESS = '198.51.100.5';

/** A block list in a file, and the variables of a gateway with this list and a trusted proxy. */
export function newList(...lines: readonly string[]) {
  const path = join(makeFolder(), 'blocked.txt');
  const write = (...entries: readonly string[]) => writeFileSync(path, `${entries.join('\n')}\n`);
  write(...lines);
  return { path, write, variables: { BLOCKED_FILE: path, TRUST_PROXY: '127.0.0.0/8' } };
}

export type ListFixture = ReturnType<typeof newList>;

/** So many addresses. */
export const addresses = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`);

/** The header of a proxy. */
export const from = (address: string) => ({ 'X-Forwarded-For': address });

/** Log messages about the list. */
export const noticesIn = (logLines: readonly string[]): string[] =>
  logLines
    .map((line) => String((JSON.parse(line) as { msg: string }).msg))
    .filter((text) => text.startsWith('BLOCKED_FILE'));

/** Waits for this many messages about the list; returns the last. */
export async function nextNotice(logLines: readonly string[], count: number): Promise<string> {
  await vi.waitFor(() => expect(noticesIn(logLines).length).toBeGreaterThanOrEqual(count), {
    timeout: 30_000,
    interval: 50,
  });
  return noticesIn(logLines).at(-1) ?? '';
}

/** Expects a 403 without a challenge. */
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
