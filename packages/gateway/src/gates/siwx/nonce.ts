import { type Crypto, keysFor, Macs, nearestTime, random } from '../../crypto.ts';

const TIME_BYTES = 3;
const RANDOM_BYTES = 6;
const HEAD_BYTES = TIME_BYTES + RANDOM_BYTES;
const MAC_BYTES = 16 - HEAD_BYTES;
const TIME_RANGE = 2 ** (TIME_BYTES * 8);
const FORMAT = /^[0-9a-f]{32}$/;

/**
 * Makes and checks nonces. A nonce proves by itself that it was issued here, so issued nonces need no storage. Its 16 bytes, in lower-case
 * hex:
 *
 * | bytes | content |
 * |---|---|
 * | 3 | the issue time in seconds, its low bytes |
 * | 6 | random |
 * | 7 | a MAC over the origin, the full issue time and the random bytes |
 *
 * The key of the MAC derives from the secret and the epoch. So a new epoch, with its empty set of used nonces, makes all earlier nonces
 * invalid.
 */
export class Nonces {
  readonly #crypto: Crypto;
  readonly #secrets: readonly Uint8Array[];
  #ofEpoch: { readonly epoch: string; readonly macs: Macs } | undefined;

  /** The first secret signs. All secrets verify. */
  constructor(crypto: Crypto, secrets: readonly string[]) {
    this.#crypto = crypto;
    this.#secrets = keysFor('asset-gateway siwx', crypto, secrets);
  }

  issue(origin: string, epoch: string, nowMs: number): string {
    const seconds = Math.floor(nowMs / 1000);
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUIntBE(seconds % TIME_RANGE, 0, TIME_BYTES);
    head.set(random(RANDOM_BYTES), TIME_BYTES);
    return (
      head.toString('hex') +
      this.#macsOf(epoch)
        .sign(boundTo(origin, seconds, head))
        .toString('hex')
    );
  }

  /** Verifies a nonce. Returns undefined if it was not issued here for this origin and epoch. */
  read(nonce: string, origin: string, epoch: string, nowMs: number) {
    if (!FORMAT.test(nonce)) return undefined;
    const bytes = Buffer.from(nonce, 'hex');
    const head = bytes.subarray(0, HEAD_BYTES);
    const issuedAtSeconds = nearestTime(head.readUIntBE(0, TIME_BYTES), TIME_RANGE, nowMs);
    const isGenuine = this.#macsOf(epoch).verify(boundTo(origin, issuedAtSeconds, head), bytes.subarray(HEAD_BYTES));
    return isGenuine ? { issuedAtSeconds, epoch } : undefined;
  }

  #macsOf(epoch: string): Macs {
    if (this.#ofEpoch?.epoch !== epoch) {
      const keys = this.#secrets.map((secret) => this.#crypto.mac(secret, Buffer.from(`epoch ${epoch}`)));
      this.#ofEpoch = { epoch, macs: new Macs(this.#crypto, keys, MAC_BYTES) };
    }
    return this.#ofEpoch.macs;
  }
}

/** Returns the text that a nonce's MAC covers. */
const boundTo = (origin: string, seconds: number, head: Buffer): string =>
  `siwx1|${origin}|${seconds}|${head.toString('hex', TIME_BYTES)}`;
