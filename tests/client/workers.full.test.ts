import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newKeypair, signerFromBytes } from '@asset-gateway/client/node';
import { beforeAll, expect, it, vi } from 'vitest';
import { startEverything } from '../discovery/everything.ts';
import { freePort } from '../http/ports.ts';
import { startCommand } from '../kit/command.ts';
import { inSuite } from '../kit/in-suite.ts';
import { suiteOfPackages } from '../kit/packages.ts';
import { startStrangeGateway } from '../kit/strange-gateway.ts';
import { bundleOf, type Target } from './bundle.ts';

/** Cloudflare's own runtime. */
const PACKAGES = { workerd: '1.20261117.1' };

const ACCOUNT = 'So11111111111111111111111111111111111111112';

/** How Cloudflare's bundler resolves imports, with the flag `nodejs_compat`, which `@solana/kit` needs. */
const WORKERS: Target = {
  platform: 'neutral',
  external: ['events'],
  resolve: { conditionNames: ['workerd', 'worker', 'browser', 'import'], mainFields: ['module', 'main'] },
};

/** The worker: makes the calls that a request describes, and answers their results. */
const PROGRAM = `
  import { createClient } from '@asset-gateway/client';
  import { payWith } from '@asset-gateway/client/pay';
  export default {
    async fetch(request) {
      const { baseUrl, rpcUrl, keypair, calls } = await request.json();
      const pay = payWith({ wallet: new Uint8Array(keypair), rpcUrl });
      const client = createClient({ baseUrl, pay });
      const results = [];
      for (const [name, values] of calls)
        results.push(await client.call(name, values).catch(({ code, message }) => ({ code, message })));
      return new Response(JSON.stringify(results, (_, value) => (typeof value === 'bigint' ? value + 'n' : value)));
    },
  };
`;

const configOf = (port: number, modules: readonly string[]): string => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [${modules.map((name) => `(name = "${name}", esModule = embed "${name}"), `).join('')}
    (name = "events", esModule = "export * from 'node:events';")],
  compatibilityDate = "2024-09-23",
  compatibilityFlags = ["nodejs_compat"],
);
`;

await suiteOfPackages(
  'a worker of Cloudflare',
  { '.': { dependencies: PACKAGES } },
  (folder) => {
    const gateway = inSuite(() => startEverything());
    const elsewhere = inSuite(() => startStrangeGateway());
    let url = '';
    beforeAll(async () => {
      const { code, chunks } = await bundleOf(PROGRAM, WORKERS);
      const modules = new Map([['worker.js', code], ...[...chunks].filter(([, text]) => text !== code)]);
      for (const [name, text] of modules) writeFileSync(join(folder, name), text);
      const port = await freePort();
      writeFileSync(join(folder, 'worker.capnp'), configOf(port, [...modules.keys()]));
      url = `http://127.0.0.1:${port}`;
      const { default: runtime } = await import(join(folder, 'node_modules/workerd/lib/main.js'));
      startCommand([runtime, 'serve', 'worker.capnp'], { cwd: folder });
      await vi.waitFor(() => fetch(url), { timeout: 30_000 });
    });

    /** What the calls of a worker with a funded wallet come to. */
    async function outcomes(baseUrl: string, calls: readonly (readonly [name: string, values: object])[]) {
      const keypair = newKeypair();
      const { mainnet } = gateway.solana;
      await mainnet.fundUsdc(signerFromBytes(keypair).address, 1_000_000n);
      const body = JSON.stringify({ baseUrl, rpcUrl: mainnet.url, keypair: [...keypair], calls });
      return (await (await fetch(url, { method: 'POST', body })).json()) as unknown[];
    }

    it('signs in and buys', async () => {
      const before = gateway.solana.mainnet.transfers.length;
      const results = await outcomes(gateway.url, [
        ['tokens.search', { q: 'gold' }],
        ['tokens.search', { q: 'sol' }],
        ['rpc.getBalance', { account: ACCOUNT }],
      ]);
      expect(results).toMatchObject([{ query: 'gold' }, { query: 'sol' }, { value: expect.stringMatching(/^\d+n$/) }]);
      expect(gateway.solana.mainnet.transfers.length - before).toBe(1);
    });

    it('follows no redirect', async () => {
      const before = gateway.logLines.length;
      elsewhere.answer(({ path }, response) => response.writeHead(308, { Location: gateway.url + path }).end());
      const message = `${elsewhere.url} redirects; check baseUrl`;
      expect(await outcomes(elsewhere.url, [['tokens.search', { q: 'gold' }]])).toEqual([
        { code: 'unreachable', message },
      ]);
      expect(gateway.logLines.length - before).toBe(0);
    });
  },
  { isOfReleases: true },
);
