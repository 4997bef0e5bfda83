import type { Cluster, Provider, Route } from '@asset-gateway/protocol';
import { allowanceOf } from '../budget/allowance.ts';
import type { Allowance, Budget, Store } from '../budget/store.ts';
import type { Config } from '../config/config.ts';
import type { ChannelName } from '../metrics/readings.ts';
import { InFlight } from '../stages/spend.ts';
import { Breaker, type BreakerOptions } from '../upstreams/breaker.ts';
import { pausing, resending } from '../upstreams/retries.ts';
import { type Key, type KeyOptions, SeveralKeys } from '../upstreams/several-keys.ts';
import { type ChannelPlan, type Connection, channelKeyOf, type KeyPlan, TRANSPORTS } from './providers.ts';

/** Who answers a family of routes, and what may be asked of them. */
export interface Channel {
  readonly name: ChannelName;
  readonly upstream: Breaker;
  readonly keys: SeveralKeys;
  /** What its keys may spend. */
  readonly allowance: Allowance;
  /** The calls that this node has in flight, of all channels of the provider on this cluster. */
  readonly room: InFlight;
}

/** For how long a key that an upstream refuses is set aside. */
export type RefusedKeys = Partial<Pick<KeyOptions, 'setAsideMs' | 'now'>>;

/** What channels are built from. */
export interface ChannelParts {
  readonly config: Config;
  readonly store: Store;
  /** The span that the asset-data budget counts in, in milliseconds; a minute unless told. */
  readonly windowMs?: number | undefined;
  /** When an upstream that fails is left alone, where it is not as usual. */
  readonly breaker?: Partial<BreakerOptions> | undefined;
  readonly refusedKeys?: RefusedKeys | undefined;
  readonly notice?: ((message: string) => void) | undefined;
  readonly onKeyRefused?: ((channel: ChannelName, place: number) => void) | undefined;
  readonly onFailure: (error: unknown) => void;
}

const SECOND_MS = 1_000;
const now = () => performance.now();
const BREAKER: BreakerOptions = { failures: 5, probeMs: 5_000, now };
const REFUSED_KEYS = { setAsideMs: 60_000, now };

/** The channels of everything that is configured. */
export class Channels {
  readonly #parts: ChannelParts;
  readonly #channels = new Map<string, Channel>();
  readonly #connections: Connection[] = [];

  constructor(parts: ChannelParts) {
    this.#parts = parts;
    for (const provider of Object.keys(TRANSPORTS) as Provider[]) this.#openAll(provider);
  }

  get(route: Route): Channel | undefined {
    return this.#channels.get(channelKeyOf(route));
  }

  all(): Iterable<Channel> {
    return this.#channels.values();
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  #openAll(provider: Provider): void {
    const { config, windowMs } = this.#parts;
    const { inFlight, channels } = TRANSPORTS[provider];
    const rooms = roomsOf(inFlight);
    for (const plan of channels(config, windowMs)) this.#open(plan, rooms[plan.name.cluster ?? 'all'], inFlight);
  }

  /** Puts the wrappers around the connections: the outer ones refuse before an inner one spends. */
  #open({ name, transport, keys: plans }: ChannelPlan, room: InFlight, connections: number): void {
    const { store, breaker } = this.#parts;
    const openKey = ({ budget, options }: KeyPlan): Key => {
      const connection = new transport({ ...options, connections });
      this.#connections.push(connection);
      return { budget, upstream: pausing(resending(connection), this.#pausesOf(budget)) };
    };
    const keys = new SeveralKeys(plans.map(openKey), this.#keyOptions(name, plans.length));
    const upstream = new Breaker(keys, { ...BREAKER, ...breaker });
    const budgets = plans.map(({ budget }) => budget);
    const allowance = allowanceOf(store, budgets, () => keys.budgets());
    this.#channels.set(channelKeyOf(name), { name, keys, allowance, room, upstream });
  }

  #pausesOf(budget: Budget): (seconds: number) => Promise<void> {
    const { store, onFailure } = this.#parts;
    return (seconds) => store.pause(budget, seconds * SECOND_MS).catch(onFailure);
  }

  #keyOptions(name: ChannelName, count: number): KeyOptions {
    const { store, refusedKeys, notice, onKeyRefused } = this.#parts;
    const options = { ...REFUSED_KEYS, ...refusedKeys };
    const onRefused = (place: number, isFirst: boolean): void => {
      onKeyRefused?.(name, place + 1);
      if (count > 1 && isFirst) notice?.(refusedNotice(place + 1, count, options.setAsideMs));
    };
    return { ...options, view: (budget) => store.view(budget), onRefused };
  }
}

/** What of a provider's room devnet may have, and one wallet on each cluster: devnet's money is free, and so are its wallets. */
const PARTS = { devnet: 1 / 4, walletOnMainnet: 1 / 4, walletOnDevnet: 1 / 8 } as const;

/** The room of each cluster of a provider, within that of the provider; and of a provider that has no clusters. */
function roomsOf(inFlight: number): Readonly<Record<Cluster | 'all', InFlight>> {
  const partOf = (part: number) => Math.ceil(inFlight * part);
  const all = new InFlight(inFlight);
  return {
    all,
    mainnet: new InFlight(inFlight, { within: all, ofWallet: partOf(PARTS.walletOnMainnet) }),
    devnet: new InFlight(partOf(PARTS.devnet), { within: all, ofWallet: partOf(PARTS.walletOnDevnet) }),
  };
}

/** Only the asset-data API has several keys. */
const refusedNotice = (place: number, count: number, setAsideMs: number): string =>
  `TOKENS_API_KEY (${place} of ${count}) was refused by the upstream and is set aside for ${setAsideMs / SECOND_MS} s`;
