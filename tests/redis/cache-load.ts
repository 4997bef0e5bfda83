import type { Signer } from '@asset-gateway/client';
import { sleep } from '../budget/history.ts';
import type { GatewayProcess } from '../kit/process.ts';
import { newSigner } from '../kit/wallet.ts';
import { signAt } from './nodes.ts';

/** One use of a sign-in header at one of the nodes. */
export interface Use {
  readonly header: string;
  readonly path: string;
  /** When it was sent and answered, by `performance.now()`. */
  readonly sentMs: number;
  readonly endMs: number;
  /** 0 when there was no answer. */
  readonly status: number;
  readonly ageSeconds: number;
  readonly isHit: boolean;
}

/** The options of a load. */
export interface LoadOptions {
  readonly nodes: readonly GatewayProcess[];
  readonly wallets: number;
  readonly perSecond: number;
  readonly paths: readonly string[];
  /** Whether each header is sent to two nodes. */
  readonly isDoubled: boolean;
}

/** Requests of many wallets until `stop`. */
export interface Load {
  readonly uses: readonly Use[];
  /** Sends every header once more that was used since then. */
  replay(sinceMs: number): Promise<readonly Use[]>;
  stop(): Promise<void>;
}

async function use({ url }: GatewayProcess, path: string, header: string): Promise<Use> {
  const sentMs = performance.now();
  const response = await fetch(url + path, { headers: { 'SIGN-IN-WITH-X': header } }).catch(() => undefined);
  await response?.arrayBuffer().catch(() => undefined);
  const isHit = response?.headers.get('cache-status')?.includes('; hit') ?? false;
  const ageSeconds = Number(response?.headers.get('age') ?? 0);
  return { header, path, sentMs, endMs: performance.now(), status: response?.status ?? 0, ageSeconds, isHit };
}

const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** Asks for the earlier of the paths more often than for the later ones, each request at the next node and by the next wallet. */
export function startLoad({ nodes, wallets, perSecond, paths, isDoubled }: LoadOptions): Load {
  const signers: readonly Signer[] = Array.from({ length: wallets }, newSigner);
  const uses: Use[] = [];
  const open = new Set<Promise<void>>();
  let isStopped = false;
  const at = (serial: number): GatewayProcess => nodes[serial % nodes.length] as GatewayProcess;
  const request = async (serial: number) => {
    const path = paths[Math.floor(((serial * GOLDEN) % 1) ** 2 * paths.length)] ?? '';
    const header = await signAt(at(serial), path, signers[serial % wallets]).catch(() => undefined);
    if (header === undefined) return;
    const serials = isDoubled ? [serial + 1, serial + 2] : [serial + 1];
    uses.push(...(await Promise.all(serials.map((each) => use(at(each), path, header)))));
  };
  const run = async () => {
    const startMs = performance.now();
    for (let serial = 0; !isStopped; serial++) {
      const one = request(serial).finally(() => open.delete(one));
      open.add(one);
      await sleep(startMs + (serial + 1) * (1_000 / perSecond) - performance.now());
    }
    await Promise.all(open);
  };
  const running = run();
  return {
    uses,
    replay: (sinceMs) => {
      const used = [...new Map(uses.filter(({ sentMs }) => sentMs >= sinceMs).map((each) => [each.header, each]))];
      return Promise.all(used.map(([header, { path }], index) => use(at(index), path, header)));
    },
    async stop() {
      isStopped = true;
      await running;
    },
  };
}
