import { type Browser, chromium } from 'playwright-core';
import { afterAll, type TestOptions } from 'vitest';
import { findProgram, suiteWith } from './optional.ts';

/** Allows root, and turns the browser's own requests off. */
const SWITCHES = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
];

let running: Browser | undefined;

/** The system's browser. A process has one for all suites, because its start takes a second. It ends with the process. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = findProgram('chromium');
  if (!running?.isConnected())
    running = await chromium.launch({ args: SWITCHES, ...(executablePath && { executablePath }) });
  return running;
}

/** A suite that needs a browser. Closes its pages at the end. */
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
