import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, deflateRaw, inflateRaw } from 'node:zlib';
import { Background } from '../background.ts';
import { keysFor, Macs, nodeCrypto } from '../crypto.ts';
import { BACKGROUND_TIMEOUT, REQUEST_TIMEOUT, type RedisConnection, timeoutFor } from '../stores/redis/connection.ts';
import { Keyspace } from '../stores/redis/keyspace.ts';
import type { CacheKey } from './cache-key.ts';
import { CLAIM, END_LEASES, MAX_REPLY_BYTES, WRITE } from './entry-scripts.ts';
import type { Claim, FoundEntry, SharedEntries, SharedEntry, SharingOptions } from './shared-entries.ts';
import { idsOf, type Keyed } from './stored.ts';

const compress = promisify(deflateRaw);
const decompress = promisify(inflateRaw);

/** The version of the entries' format. Increment it with each change that another version would misread. */
const VERSION = '2';
const MAC_BYTES = 32;
const MAX_COMPRESSED_BYTES = 1024 * 1024;
/** The most bytes of an entry's text. The largest upstream answer is slightly smaller, 5 MiB. */
const MAX_TEXT_BYTES = 5 * 1024 * 1024 + 64 * 1024;
const FETCHED_AT = /^\d{1,15}$/;

const TAG = 'cache';
/** The most bytes of all entries together, because Redis also holds more important data. */
const MAX_BYTES = 256 * 1024 * 1024;
/** How far an entry's time may be in the future, in milliseconds. A node's estimate of the store's clock is this inaccurate. */
const TOLERANCE_MS = 1_000;
/** The time-out of a read, which is less than a request waits for a call. */
const READ_TIMEOUT = timeoutFor(MAX_REPLY_BYTES, REQUEST_TIMEOUT);

/** Returns the text that a MAC covers: an entry's format, time, key and body. So a changed, shortened or moved entry is invalid. */
const signed = (head: string, digest: string, body: string): string => `${head}.${digest}.${body}`;

/** Stores compressed entries and leases in a Redis keyspace of their own. The times of entries are those of the store's clock. */
export class RedisEntries implements SharedEntries {
  readonly leaseMs: number;
  readonly #options: SharingOptions;
  readonly #background: Background;
  readonly #space: Keyspace;
  readonly #macs: Macs;

  constructor(connection: RedisConnection, options: SharingOptions, background = new Background()) {
    this.#options = options;
    this.#background = background;
    this.leaseMs = options.leaseMs;
    this.#space = new Keyspace(connection, TAG);
    this.#macs = new Macs(nodeCrypto, keysFor('asset-gateway cache', nodeCrypto, options.secrets), MAC_BYTES);
  }

  async claim(plans: readonly Keyed[], owner = '', tags: ReadonlyMap<string, string> = new Map()): Promise<Claim> {
    const askedAtMs = this.#options.now();
    const ids = idsOf(plans);
    const args = [owner, this.leaseMs, ...ids.map((id) => tags.get(id) ?? '')];
    try {
      const reply = await this.#space.run({ script: CLAIM, keys: this.#names(plans), args, timeout: READ_TIMEOUT });
      const [nowMs, ...pairs] = reply as [number, ...(string | number)[]];
      const texts = plans.map((_, index) => String(pairs[2 * index]));
      const leased = ids.filter((_, index) => pairs[2 * index + 1] === 1);
      return { leased: new Set(leased), entries: await this.#openAll(plans, texts, askedAtMs - nowMs) };
    } catch (error) {
      this.#background.failed('cache', error);
      return { leased: new Set(ids), entries: new Map() };
    }
  }

  async write(entries: readonly (Keyed & SharedEntry)[], owner: string): Promise<void> {
    await this.#background.run('cache', async () => {
      await this.#send(entries, owner).catch(async (error) => {
        // Other nodes must not wait for an entry that cannot be written.
        await this.endLeases(entries, owner);
        throw error;
      });
    });
  }

  async #send(entries: readonly (Keyed & SharedEntry)[], owner: string): Promise<void> {
    const aheadMs = this.#space.now() - this.#options.now();
    const words: (string | number)[] = [];
    // Compress one entry after another, because each compression allocates its own buffers.
    for (const { key, fetchedAtMs, json } of entries) {
      const sealed = await this.#seal(this.#digest(key), { fetchedAtMs: fetchedAtMs + aheadMs, json });
      const leftMs = key.maxStaleSeconds * 1_000 - (this.#options.now() - fetchedAtMs);
      words.push(Math.max(0, Math.floor(leftMs)), sealed ?? '');
    }
    const keys = ['entries', 'entry-sizes', ...this.#names(entries)];
    const args = [owner, aheadMs + this.#options.now(), MAX_BYTES, ...words];
    const bytes = words.reduce((total: number, word) => total + String(word).length, 0);
    const timeout = timeoutFor(bytes, BACKGROUND_TIMEOUT);
    await this.#space.runWithRetry({ script: WRITE, keys, args, timeout });
  }

  async endLeases(plans: readonly Keyed[], owner: string): Promise<void> {
    const names = plans.map(({ key }) => `lease:${this.#digest(key)}`);
    const step = { script: END_LEASES, keys: names, args: [owner], timeout: BACKGROUND_TIMEOUT };
    await this.#background.run('cache', () => this.#space.run(step));
  }

  #digest({ id }: CacheKey): string {
    return createHash('sha256').update(`${this.#options.scope}\n${id}`).digest('base64url');
  }

  /** Returns the names of each key's entry and lease. */
  #names(plans: readonly Keyed[]): string[] {
    return plans.map(({ key }) => this.#digest(key)).flatMap((digest) => [`entry:${digest}`, `lease:${digest}`]);
  }

  /** Returns the text to store for an entry; undefined if it is too large to share. */
  async #seal(digest: string, { fetchedAtMs, json }: SharedEntry): Promise<string | undefined> {
    const compressed = await compress(json, { level: constants.Z_BEST_SPEED });
    if (compressed.length > MAX_COMPRESSED_BYTES) return undefined;
    const head = `${VERSION}.${Math.floor(fetchedAtMs)}`;
    const body = compressed.toString('base64');
    return `${head}.${this.#macs.sign(signed(head, digest, body)).toString('base64url')}.${body}`;
  }

  /** Verifies and opens an entry. Returns undefined unless one of our secrets has sealed it for this key. */
  async #open(digest: string, text: string): Promise<FoundEntry | undefined> {
    const [version = '', fetchedAt = '', mac = '', body = ''] = text.split('.', 4);
    if (version !== VERSION || !FETCHED_AT.test(fetchedAt)) return undefined;
    const head = `${version}.${fetchedAt}`;
    if (!this.#macs.verify(signed(head, digest, body), Buffer.from(mac, 'base64url'))) return undefined;
    const json = await decompress(Buffer.from(body, 'base64'), { maxOutputLength: MAX_TEXT_BYTES }).catch(
      () => undefined,
    );
    return json && { fetchedAtMs: Number(fetchedAt), json: json.toString(), tag: `${head}.${mac}.` };
  }

  /** Returns the authentic entries that may be served. `behindMs`: this node's clock minus the store's, in milliseconds. */
  async #openAll(plans: readonly Keyed[], texts: readonly string[], behindMs: number): Promise<Claim['entries']> {
    const entries = new Map<string, FoundEntry>();
    for (const [index, { key }] of plans.entries()) {
      const sealed = await this.#open(this.#digest(key), texts[index] ?? '');
      if (!sealed) continue;
      const fetchedAtMs = sealed.fetchedAtMs + behindMs;
      const ageMs = this.#options.now() - fetchedAtMs;
      if (ageMs >= -TOLERANCE_MS && ageMs <= key.maxStaleSeconds * 1_000)
        entries.set(key.id, { ...sealed, fetchedAtMs });
    }
    return entries;
  }
}
