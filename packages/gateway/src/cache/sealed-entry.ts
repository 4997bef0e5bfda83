import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, deflateRaw, inflateRaw } from 'node:zlib';

const [compress, decompress] = [promisify(deflateRaw), promisify(inflateRaw)];

/** What is sealed: the text, and when its call went out, by the clock of the store. */
export interface Sealable {
  readonly fetchedAtMs: number;
  readonly json: string;
}

/** Changes with anything about an entry that a node of another version would read otherwise. */
const VERSION = '1';
const MAX_COMPRESSED_BYTES = 1024 * 1024;
/** An upstream's answer has at most 5 MiB. */
const MAX_TEXT_BYTES = 5 * 1024 * 1024 + 64 * 1024;
const FETCHED_AT = /^\d{1,15}$/;

/** The name of a key's entry: of one length, whatever was asked for. */
export const digestOf = (scope: string, id: string): string =>
  createHash('sha256').update(`${scope}\n${id}`).digest('base64url');

/** What stands before the body of an entry: its version, time and MAC. */
export const tagOf = (text: string): string => text.slice(0, text.lastIndexOf('.') + 1);

/**
 * Entries as they stand outside this process: compressed, and bound by a MAC to their key, their time and this format, so that
 * what was changed, cut short or moved to another key is not one.
 */
export class EntrySeal {
  readonly #keys: readonly Buffer[];

  /** The first secret signs, all verify. */
  constructor(secrets: readonly string[]) {
    this.#keys = secrets.map((secret) => createHmac('sha256', secret).update('asset-gateway cache entry').digest());
  }

  /** The text of an entry; nothing when it is too large to be shared. */
  async seal(digest: string, { fetchedAtMs, json }: Sealable): Promise<string | undefined> {
    const body = await compress(json, { level: constants.Z_BEST_SPEED });
    const [key] = this.#keys;
    if (!key || body.length > MAX_COMPRESSED_BYTES) return undefined;
    const head = `${VERSION}.${Math.floor(fetchedAtMs)}`;
    return `${head}.${macOf(key, digest, head, body).toString('base64url')}.${body.toString('base64')}`;
  }

  /** Reads it back; nothing when it is not one of ours for this key. */
  async open(digest: string, text: string): Promise<Sealable | undefined> {
    const [version = '', fetchedAt = '', mac = '', encoded = ''] = text.split('.', 4);
    if (version !== VERSION || !FETCHED_AT.test(fetchedAt)) return undefined;
    const [given, body] = [Buffer.from(mac, 'base64url'), Buffer.from(encoded, 'base64')];
    const head = `${version}.${fetchedAt}`;
    const isOurs = this.#keys.some((key) => equal(macOf(key, digest, head, body), given));
    if (!isOurs) return undefined;
    const json = await decompress(body, { maxOutputLength: MAX_TEXT_BYTES }).catch(() => undefined);
    return json && { fetchedAtMs: Number(fetchedAt), json: json.toString() };
  }
}

const equal = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);

const macOf = (key: Buffer, digest: string, head: string, body: Buffer): Buffer =>
  createHmac('sha256', key).update(`${head}.${digest}.`).update(body).digest();
