import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new empty folder. */
export const makeFolder = (): string => mkdtempSync(join(tmpdir(), 'asset-gateway-test-'));
