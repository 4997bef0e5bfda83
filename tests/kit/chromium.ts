import { type Browser, chromium } from 'playwright-core';

/** As root, and without a word to anybody but the pages that are opened. */
const SWITCHES = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
];

/** Starts the system's browser. */
export const launchChromium = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, args: SWITCHES });
