import { type Browser, chromium } from 'playwright-core';

/** As root, and without a word to anybody but the pages that are opened. */
const SWITCHES = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
];

let running: Browser | undefined;

/** The system's browser. All suites of a process have the same one, which ends with the process: starting it takes a second. */
export async function launchChromium(executablePath: string): Promise<Browser> {
  if (!running?.isConnected()) running = await chromium.launch({ executablePath, args: SWITCHES });
  return running;
}

/** Closes the pages of a suite. */
export async function closePages(browser: Browser | undefined): Promise<void> {
  await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
}
