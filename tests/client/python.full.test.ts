import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newKeypair } from '@asset-gateway/client/node';
import { beforeAll, describe, expect, it } from 'vitest';
import { startEverything } from '../discovery/everything.ts';
import { runCommand } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';
import { inSuite } from '../kit/in-suite.ts';
import { suiteWith } from '../kit/optional.ts';
import { blocksOf } from '../kit/page.ts';
import { openCustomer } from './kit.ts';

const hasCryptography = (python: string): boolean => spawnSync(python, ['-c', 'import cryptography']).status === 0;

suiteWith('python3', 'the Python code in docs/signing.md', (first) => {
  // The package may be installed only for the system's Python.
  const python = [first, '/usr/bin/python3'].find(hasCryptography) ?? first;
  const isSkipped = process.env.REQUIRE_ALL !== '1' && !hasCryptography(python);
  describe.skipIf(isSkipped)('with the package cryptography, or skipped without it', () => {
    const gateway = inSuite(() => startEverything({ CREDIT: 'on' }));
    const folder = makeFolder();
    beforeAll(() => {
      const [code = ''] = blocksOf('docs/signing.md', 'python');
      writeFileSync(join(folder, 'ask.py'), code.replace('http://localhost:8402', gateway.url));
    });

    /** Runs the code with this key pair and returns the gateway's statuses. */
    async function run(keypair: Uint8Array) {
      const file = join(folder, 'id.json');
      writeFileSync(file, JSON.stringify([...keypair]));
      const before = gateway.logLines.length;
      const outcome = await runCommand([python, join(folder, 'ask.py'), file]);
      const statuses = gateway.logLines.slice(before).map((line) => (JSON.parse(line) as { status: number }).status);
      return { ...outcome, statuses };
    }

    it('signs in twice and spends credit twice, with one challenge each', async () => {
      const { client, keypair } = await openCustomer(gateway);
      await client.credit.buy();
      const { code, stdout, stderr, statuses } = await run(keypair);
      expect([code, stdout, stderr]).toEqual([0, 'gold\nsol\n0.000005\n0.000005\n', '']);
      expect(statuses).toEqual([402, 200, 200, 402, 200, 200]);
      const { balances } = await client.credit.balance();
      expect(balances[0]?.balanceMicros).toBe(50_000 - 2 * 5);
    });

    it('reports missing credit', async () => {
      const { code, stderr, statuses } = await run(newKeypair());
      expect([code, statuses]).toEqual([1, [402, 200, 200, 402, 402]]);
      expect(stderr).toMatch(/RuntimeError: 402 credit_exhausted: The wallet's credit is below the price/);
    });
  });
});
