import type { Provider, Route } from '@asset-gateway/protocol';
import type { Budget, Store } from '../budget/store.ts';
import type { Config } from '../config/config.ts';
import type { ChannelName } from '../metrics/readings.ts';
import { InFlight } from '../stages/in-flight.ts';
import { Breaker, type BreakerOptions } from '../upstreams/breaker.ts';
import { pausing } from '../upstreams/pausing.ts';
import { resending } from '../upstreams/resending.ts';
import { type ChannelPlan, type Connection, channelKeyOf, TRANSPORTS } from './providers.ts';

/** Who answers a family of routes, and what may be asked of them. */
export interface Channel {
  readonly name: ChannelName;
  readonly upstream: Breaker;
  readonly budget: Budget;
  /** The calls that this node has in flight, of all channels of the provider. */
  readonly room: InFlight;
}

/** What channels are built from. */
export interface ChannelParts {
  readonly config: Config;
  readonly store: Store;
  /** The span that the asset-data budget counts in, in milliseconds; a minute unless told. */
  readonly windowMs: number | undefined;
  /** When an upstream that fails is left alone, where it is not as usual. */
  readonly breaker: Partial<BreakerOptions> | undefined;
  readonly onFailure: (error: unknown) => void;
}

const SECOND_MS = 1_000;
const BREAKER: BreakerOptions = { failures: 5, probeMs: 5_000, now: () => performance.now() };

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
    const room = new InFlight(inFlight);
    for (const plan of channels(config, windowMs)) this.#open(plan, room, inFlight);
  }

  /** Puts the wrappers around a connection: the outer ones refuse before an inner one spends. */
  #open({ name, budget, transport, options }: ChannelPlan, room: InFlight, connections: number): void {
    const { store, breaker, onFailure } = this.#parts;
    const connection = new transport({ ...options, connections });
    const pause = (seconds: number) => store.pause(budget, seconds * SECOND_MS).catch(onFailure);
    const upstream = new Breaker(pausing(resending(connection), pause), { ...BREAKER, ...breaker });
    this.#connections.push(connection);
    this.#channels.set(channelKeyOf(name), { name, budget, room, upstream });
  }
}
