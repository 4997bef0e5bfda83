import { copyFileSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startEverything } from '../discovery/everything.ts';
import { node, runCommand } from '../kit/command.ts';
import { type Installation, install, suiteWithInstallation } from '../kit/packages.ts';
import { isFull } from '../kit/rounds.ts';
import type { TestGateway } from '../kit/test-gateway.ts';
import { compileAll } from '../process/program.ts';

const PROGRAM = 'tests/setup/visit.mjs';
const COMPILER = resolve('node_modules/typescript-7/bin/tsc');
const STRICTLY = [
  ...['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--allowJs', '--checkJs', '--pretty', 'false'],
  ...['--target', 'es2022', '--module', 'nodenext', '--lib', 'es2023,dom'],
  ...['--types', 'node', '--typeRoots', resolve('node_modules/@types')],
];

/** The first and the newest of each kit that package.json admits; a short run looks at the newest alone. */
const KITS = isFull ? ['5.5.1', '6.0.0', '6.10.0', '7.0.0', '7.1.1', '8.2.0', '8.4.0'] : ['8.4.0'];
const SVM = { '@x402/svm': '2.27.0' };

/** Packs the client and installs it beside a kit, as a page or a program does. */
async function installClient(folder: string, others: Readonly<Record<string, string>>): Promise<Installation> {
  await compileAll();
  const names = ['protocol', 'client'];
  const words = ['npm', 'pack', ...names.map((name) => `--workspace=packages/${name}`), '--pack-destination', folder];
  const { code, stderr } = await runCommand(words, { cwd: '.', env: process.env });
  if (code !== 0) return { code, stderr };
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const ours = names.map((name) => [`@asset-gateway/${name}`, `file:asset-gateway-${name}-${version}.tgz`]);
  return await install(folder, { '.': { dependencies: { ...Object.fromEntries(ours), ...others } } });
}

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
  await suiteWithInstallation(`the client beside kit ${kit}`, prepare, (folder) => judge(folder, true));
}

await suiteWithInstallation(
  'the client beside kit 8 alone, without what pays',
  (folder) => installClient(folder, { '@solana/kit': '8.4.0' }),
  (folder) => judge(folder, false),
  { isOfReleases: true },
);
