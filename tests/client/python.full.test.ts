import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newKeypair } from '@asset-gateway/client/node';
import { describe, expect, it } from 'vitest';
import { startEverything } from '../discovery/everything.ts';
import { node, runCommand } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';
import { inSuite } from '../kit/in-suite.ts';
import { suiteWith } from '../kit/optional.ts';
import { blocksOf } from '../kit/page.ts';
import { openCustomer } from './kit.ts';

const hasCryptography = (python: string): boolean => spawnSync(python, ['-c', 'import cryptography']).status === 0;

suiteWith('python3', 'examples/ask.py', (first) => {
  // The package may be installed only for the system's Python.
  const python = [first, '/usr/bin/python3'].find(hasCryptography) ?? first;
  const isSkipped = process.env.REQUIRE_ALL !== '1' && !hasCryptography(python);
  describe.skipIf(isSkipped)('with the package cryptography, or skipped without it', () => {
    const gateway = inSuite(() => startEverything({ CREDIT: 'on' }));
    const file = join(makeFolder(), 'id.json');

    const urls = () => ({ ASSET_GATEWAY_URL: gateway.url, ASSET_GATEWAY_RPC_URL: gateway.solana.mainnet.url });

    /** Runs the code and returns the gateway's statuses. */
    async function run(...words: readonly string[]) {
      const before = gateway.logLines.length;
      const outcome = await runCommand([python, 'examples/ask.py', ...words], { env: urls() });
      const statuses = gateway.logLines.slice(before).map((line) => (JSON.parse(line) as { status: number }).status);
      return { ...outcome, statuses };
    }

    function runWith(keypair: Uint8Array) {
      writeFileSync(file, JSON.stringify([...keypair]));
      return run(file, 'mainnet');
    }

    it('signs in twice with a new key', async () => {
      const { code, stdout, stderr, statuses } = await run();
      expect([code, stdout, stderr]).toEqual([0, 'gold\nsol\n', '']);
      expect(statuses).toEqual([402, 200, 200]);
    });

    it('signs in twice and spends credit twice, with one challenge each', async () => {
      const { client, keypair } = await openCustomer(gateway);
      await client.credit.buy();
      const { code, stdout, stderr, statuses } = await runWith(keypair);
      expect([code, stdout, stderr]).toEqual([0, 'gold\nsol\n0.000005\n0.000005\n', '']);
      expect(statuses).toEqual([402, 200, 200, 402, 200, 200]);
      const { balances } = await client.credit.balance();
      expect(balances[0]?.balanceMicros).toBe(50_000 - 2 * 5);
    });

    it('spends the credit that the commands of its page buy', async () => {
      const [block = ''] = blocksOf('docs/signing.md', 'sh');
      const commands = block
        .replace('npm run ask --', node('packages/cli/bin/main.js').join(' '))
        .replace('python3', python);
      const env = { HOME: makeFolder(), ...urls() };
      const before = gateway.solana.mainnet.transfers.length;
      const { code, stdout } = await runCommand(['sh', '-eu', '-c', commands], { env });
      expect([code, stdout.slice(stdout.indexOf('}gold') + 1)]).toEqual([0, 'gold\nsol\n0.000005\n0.000005\n']);
      expect(gateway.solana.mainnet.transfers.length - before).toBe(1);
    });

    it('reports missing credit', async () => {
      const { code, stderr, statuses } = await runWith(newKeypair());
      expect([code, statuses]).toEqual([1, [402, 200, 200, 402, 402]]);
      expect(stderr).toMatch(/^402 credit_exhausted: The wallet's credit is below the price; buy credit[^\n]*\n$/);
    });
  });
});
