import { copyFileSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openFixture, WALLET } from '../cli/fixture.ts';
import { startEverything } from '../discovery/everything.ts';
import { freePort } from '../http/ports.ts';
import { type Command, node, runCommand, startCommand } from '../kit/command.ts';
import { inSuite } from '../kit/in-suite.ts';
import { type Installation, install, suiteWithInstallation } from '../kit/packages.ts';
import type { TestGateway } from '../kit/test-gateway.ts';

/** What a user asks npm for: packages of ours, of which the first is the one that is named, and others. */
interface Wish {
  readonly ours: readonly [string, ...string[]];
  readonly others?: Readonly<Record<string, string>>;
}

/** Packs packages of ours and installs the first into an empty folder, where npm finds the other ones as if they were published. */
async function installPacked(folder: string, { ours, others = {} }: Wish): Promise<Installation> {
  const words = ['npm', 'pack', ...ours.map((name) => `--workspace=packages/${name}`), '--pack-destination', folder];
  const { code, stderr } = await runCommand(words, { cwd: '.', env: process.env });
  if (code !== 0) return { code, stderr };
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const [[name = '', file], ...rest] = ours.map((each) => [
    `@asset-gateway/${each}`,
    `file:./asset-gateway-${each}-${version}.tgz`,
  ]) as [[string, string], ...(readonly [string, string])[]];
  return await install(folder, {
    '.': { dependencies: { [name]: file, ...others }, overrides: Object.fromEntries(rest) },
  });
}

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
  'the client beside kit 8 alone, without the paying packages',
  (folder) => installClient(folder, { '@solana/kit': '8.4.0' }),
  (folder) => judge(folder, false),
  OF_RELEASES,
);

let installation: Installation;

await suiteWithInstallation(
  'the sandbox, installed into an empty folder,',
  async (folder) => {
    installation = await installPacked(folder, { ours: ['sandbox', 'gateway', 'console', 'doctor', 'protocol'] });
    return installation;
  },
  (folder) => {
    let sandbox: Command;
    beforeAll(async () => {
      const env = { PORT: String(await freePort()), DATA_DIR: join(folder, 'data'), LOG_FORMAT: 'pretty' };
      sandbox = startCommand([join(folder, 'node_modules/.bin/asset-gateway-sandbox')], { cwd: folder, env });
    });
    afterAll(async () => {
      sandbox.child.kill();
      await sandbox.ended;
    });

    it('has no package that refuses this Node', () => {
      expect(installation.code).toBe(0);
      expect(installation.stderr).not.toContain('EBADENGINE');
    });

    it('starts with its chains', async () => {
      const isUp = () => /Asset gateway listening on .*real SVM with play money/s.test(sandbox.stdout());
      await expect.poll(isUp).toBe(true);
    });
  },
  OF_RELEASES,
);

await suiteWithInstallation(
  'the command line, installed into an empty folder,',
  (folder) => installPacked(folder, { ours: ['cli', 'client', 'protocol'] }),
  (folder) => {
    const fixture = inSuite(openFixture);

    it('requests and pays', async () => {
      const home = fixture.newHome();
      const run = (...words: string[]) =>
        runCommand([join(folder, 'node_modules/.bin/asset-gateway-client'), ...words], {
          cwd: folder,
          env: fixture.environment(home),
        });
      const price = await run('price', 'solana');
      expect([price.code, JSON.parse(price.stdout).ok], price.stderr).toEqual([0, true]);
      const before = fixture.transfers();
      const paid = await run('balances', WALLET, '--pay');
      expect([paid.code, fixture.transfers() - before], paid.stderr).toEqual([0, 1]);
      expect(JSON.parse((await run('spending')).stdout)).toMatchObject({ dayMicros: 500, open: [] });
    });
  },
  OF_RELEASES,
);
