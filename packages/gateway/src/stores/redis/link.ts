import type { createClient } from '@redis/client';
import { within } from './deadline.ts';
import type { Script } from './script.ts';

/** How long connecting may take. */
export const CONNECT_MS = 1_000;

const newModel = (create: typeof createClient) =>
  create({
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    // The client's own covers only what has not been written yet.
    commandOptions: { timeout: 0 },
  });

type Client = ReturnType<typeof newModel>;

/** What all clients are made like, and never connected: the library writes a class of all commands for one that is not. */
let model: Client | undefined;

function newClient(create: typeof createClient, url: string): Client {
  model ??= newModel(create);
  return model.duplicate({ url, socket: { reconnectStrategy: false, connectTimeout: CONNECT_MS } });
}

/** One connection to Redis, from its first byte to its end; it is never mended, but followed by another one. */
export class Link {
  readonly #client: Client;
  #tellEnd: (reason: string) => void = () => undefined;
  /** Why it has ended. */
  readonly ended = new Promise<string>((resolve) => {
    this.#tellEnd = resolve;
  });

  private constructor(client: Client) {
    this.#client = client;
    client.on('error', (error: Error) => this.end(error.message));
  }

  /** Connects, or rejects in time. */
  static async open(create: typeof createClient, url: string): Promise<Link> {
    const client = newClient(create, url);
    const link = new Link(client);
    try {
      await within(CONNECT_MS, 'no connection in time', client.connect());
      return link;
    } catch (error) {
      link.end('');
      throw error;
    }
  }

  /** Runs a script, whether the server has seen it before or not. */
  async evaluate({ sha1, source }: Script, words: string[]): Promise<readonly unknown[]> {
    try {
      return await this.#client.sendCommand<unknown[]>(['EVALSHA', sha1, ...words]);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return this.#client.sendCommand<unknown[]>(['EVAL', source, ...words]);
    }
  }

  /** Closes it; what is under way is rejected. */
  end(reason: string): void {
    this.#tellEnd(reason);
    this.#client.destroy();
  }
}
