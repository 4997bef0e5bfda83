import { type Browser, chromium } from 'playwright-core';
import { afterAll, type TestOptions } from 'vitest';
import { findProgram, suiteWith } from './optional.ts';

/** As root, and without requests of its own. */
const SWITCHES = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
];

let running: Browser | undefined;

/** The system's browser. All suites of a process share one, which ends with the process, because its start takes a second. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = findProgram('chromium');
  if (!running?.isConnected())
    running = await chromium.launch({ args: SWITCHES, ...(executablePath && { executablePath }) });
  return running;
}

/** A suite that needs a browser; its pages are closed after it. */
export const browserSuite = (title: string, body: () => void, options: TestOptions = {}): void =>
  suiteWith(
    'chromium',
    title,
    () => {
      afterAll(() => Promise.all(running?.contexts().map((context) => context.close()) ?? []));
      body();
    },
    options,
  );
