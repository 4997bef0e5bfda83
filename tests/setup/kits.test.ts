import { copyFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startEverything } from '../discovery/everything.ts';
import { node, runCommand } from '../kit/command.ts';
import { type Installation, suiteWithInstallation } from '../kit/packages.ts';
import type { TestGateway } from '../kit/test-gateway.ts';
import { installPacked } from './packed.ts';

const PROGRAM = 'tests/setup/visit.mjs';
const COMPILER = resolve('node_modules/typescript-7/bin/tsc');
const STRICTLY = [
  ...['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--allowJs', '--checkJs', '--pretty', 'false'],
  ...['--target', 'es2022', '--module', 'nodenext', '--lib', 'es2023,dom'],
  ...['--types', 'node', '--typeRoots', resolve('node_modules/@types')],
];

/** The first and the newest of each kit that package.json admits. */
const KITS = ['5.5.1', '6.0.0', '6.10.0', '7.0.0', '7.1.1', '8.2.0', '8.4.0'];
const OF_RELEASES = { isOfReleases: true };
const SVM = { '@x402/svm': '2.27.0' };

/** Installs the client as a page or a program does. */
const installClient = (folder: string, others: Readonly<Record<string, string>>): Promise<Installation> =>
  installPacked(folder, { ours: ['client', 'protocol'], others });

/** Runs the program in a folder, against a gateway with all routes. */
function judge(folder: string, buys: boolean): void {
  let gateway: TestGateway;
  beforeAll(async () => {
    copyFileSync(PROGRAM, join(folder, 'visit.mjs'));
    gateway = await startEverything();
  });
  afterAll(() => gateway.stop());

  it(buys ? 'signs in and buys' : 'signs in', async () => {
    const words = [gateway.url, ...(buys ? [gateway.solana?.mainnet.url ?? ''] : [])];
    const { code, stdout, stderr } = await runCommand(node('visit.mjs', ...words), { cwd: folder, env: process.env });
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual({ found: 1, bought: buys });
    expect(gateway.solana?.mainnet.transfers).toHaveLength(buys ? 1 : 0);
  });

  it('compiles strictly', async () => {
    const { stdout } = await runCommand(node(COMPILER, ...STRICTLY, 'visit.mjs'), { cwd: folder, env: process.env });
    expect(stdout).toBe('');
  });
}

for (const kit of KITS) {
  const prepare = (folder: string) => installClient(folder, { '@solana/kit': kit, ...SVM });
  await suiteWithInstallation(`the client beside kit ${kit}`, prepare, (folder) => judge(folder, true), OF_RELEASES);
}

await suiteWithInstallation(
  'the client beside kit 8 alone, without what pays',
  (folder) => installClient(folder, { '@solana/kit': '8.4.0' }),
  (folder) => judge(folder, false),
  OF_RELEASES,
);
