import { execFile } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@asset-gateway/client';
import { newKeypair, newSigner } from '@asset-gateway/client/node';
import { NETWORKS, type Route } from '@asset-gateway/protocol';
import { parseSIWxHeader, validateSIWxMessage, verifySIWxSignature } from '@x402/extensions/sign-in-with-x';
import bs58 from 'bs58';
import { beforeAll, describe, expect, it } from 'vitest';
import { startEverything } from '../discovery/everything.ts';
import { exampleOf, gated, rowOf } from '../http/targets.ts';
import { suiteOfPackages } from '../kit/packages.ts';
import { everyThird } from '../kit/rounds.ts';
import type { TestGateway } from '../kit/test-gateway.ts';
import { isLookedAt, LOCKED_VERSIONS, OTHER_CLIENTS, OTHER_VERSIONS, type Versions } from './other-clients.ts';

const CALL = 'tests/official-client/call.mjs';

const minor = (version: string): number => Number(version.split('.')[1]);

const freeRoutes = everyThird(gated, 0);
const PAID = ['rpc.mainnet.helius.getBalance', 'das.devnet.helius.getAsset', 'wallet.mainnet.helius.balances'];
const paidRoutes = PAID.map(rowOf);

/** The answer to one request, and how often the client sent it. */
interface Outcome {
  readonly status: number;
  readonly error?: string;
  readonly message?: string;
  readonly method?: string;
  readonly sent: number;
}

type Way = 'createSIWxClientHook' | 'createSIWxClientExtension' | 'wrapFetchWithSIWx' | 'ExactSvmScheme';

interface Told {
  readonly versions: Readonly<Record<string, string>>;
  readonly outcomes: Readonly<Partial<Record<Way, readonly Outcome[]>>>;
}

const gateway = await startEverything();

/** Upstream calls and transfers. */
const counts = ({ upstream, solana }: TestGateway) => ({
  free: upstream.arrivals.length,
  paid: solana?.provider.arrivals.length ?? 0,
  transfers: (solana?.mainnet.transfers.length ?? 0) + (solana?.devnet.transfers.length ?? 0),
});

/** Runs the client that is installed in this folder, with a new wallet. */
async function visit(folder: string, script: string, ways: readonly Way[]): Promise<Told> {
  const keypair = newKeypair();
  const rpcUrls: Record<string, string> = {};
  for (const cluster of ['mainnet', 'devnet'] as const) {
    await gateway.solana[cluster].fundUsdc(bs58.encode(keypair.subarray(32)), 1_000_000n);
    rpcUrls[NETWORKS[cluster]] = gateway.solana[cluster].url ?? '';
  }
  const requestOf = (route: Route) => {
    const { target, init } = exampleOf(route);
    return { url: gateway.url + target, init };
  };
  const of = (way: Way) => (way === 'ExactSvmScheme' ? paidRoutes : freeRoutes).map(requestOf);
  const requests = Object.fromEntries(ways.map((way) => [way, of(way)]));
  const job = JSON.stringify({ keypair: [...keypair], rpcUrls, requests });
  const { stdout } = await promisify(execFile)(process.execPath, [script, job], { cwd: folder });
  return JSON.parse(stdout) as Told;
}

it('the reference accepts our signatures, for a challenge and for a nonce that came with an answer', async () => {
  const signer = newSigner();
  const headers: string[] = [];
  const noting: typeof fetch = (input, init) => {
    const header = new Headers(init?.headers).get('sign-in-with-x');
    if (header) headers.push(header);
    return fetch(input, init);
  };
  const client = createClient({ baseUrl: gateway.url, signer, fetch: noting });
  const path = exampleOf(freeRoutes[0] as Route).target;
  for (let round = 0; round < 3; round++) expect((await client.ask(path)).status).toBe(200);
  expect(headers).toHaveLength(3);
  for (const payload of headers.map(parseSIWxHeader)) {
    expect(await validateSIWxMessage(payload, new URL(gateway.url))).toEqual({ isValid: true });
    expect(await verifySIWxSignature(payload)).toEqual({ isValid: true, payer: signer.address });
  }
});

/** Tests versions that are installed in a folder. */
function judge(versions: Versions, folder: string, script: () => string): void {
  // Versions from 2.14 have it beside `createSIWxClientHook`.
  const hasExtension = minor(versions.extensions) >= 14;
  const hooks: Way[] = ['createSIWxClientHook', ...(hasExtension ? (['createSIWxClientExtension'] as const) : [])];
  let told: Told;
  let before: ReturnType<typeof counts>;
  beforeAll(async () => {
    before = counts(gateway);
    told = await visit(folder, script(), [...hooks, 'wrapFetchWithSIWx', 'ExactSvmScheme']);
  }, 120_000);

  it.each(hooks)('signs in on free routes by %s', (way) => {
    expect(told.versions).toEqual(versions);
    expect(told.outcomes[way]).toEqual(freeRoutes.map(({ method }) => ({ status: 200, method, sent: 2 })));
  });

  it('does not sign in by wrapFetchWithSIWx, which needs a payment', () => {
    const refused = { status: 402, error: 'sign_in_required', message: expect.any(String), sent: 1 };
    expect(told.outcomes.wrapFetchWithSIWx).toEqual(freeRoutes.map(() => refused));
  });

  it(minor(versions.svm) >= 10 ? 'buys' : 'buys, although it copies no memo', () => {
    expect(told.outcomes.ExactSvmScheme).toEqual(paidRoutes.map(({ method }) => ({ status: 200, method, sent: 2 })));
  });

  it('reaches upstreams and chains only for its answers', () => {
    const sold = paidRoutes.length;
    const given = hooks.length * freeRoutes.length;
    const { free, paid, transfers } = before;
    expect(counts(gateway)).toEqual({ free: free + given, paid: paid + sold, transfers: transfers + sold });
  });
}

describe('the official client 2.27', () => {
  judge(LOCKED_VERSIONS, '.', () => CALL);
});

await suiteOfPackages('other versions of the official client', OTHER_CLIENTS, (folder) => {
  describe.each((['2.4', '2.9', '2.11', '2.20'] as const).filter(isLookedAt))('%s', (name) => {
    judge(OTHER_VERSIONS[name], join(folder, name), () => {
      copyFileSync(CALL, join(folder, name, 'call.mjs'));
      return 'call.mjs';
    });
  });
});
