import { type Crypto, equalSecrets, keysFor, random } from '../crypto.ts';

const TIME_BYTES = 3;
const RANDOM_BYTES = 6;
const HEAD_BYTES = TIME_BYTES + RANDOM_BYTES;
const TIME_RANGE = 2 ** (TIME_BYTES * 8);
const FORMAT = /^[0-9a-f]{32}$/;

/**
 * Self-authenticating nonces, so issued ones need no storage: 3 bytes of issue time, 6 random bytes and 7 bytes of a MAC over origin,
 * full issue time and randomness, in lower-case hex. The MAC key derives from the secret and the epoch, so a nonce becomes invalid
 * with its epoch's set of used nonces.
 */
export class Nonces {
  readonly #crypto: Crypto;
  readonly #secrets: readonly Uint8Array[];
  #epoch: string | undefined;
  #keys: readonly Uint8Array[] = [];

  /** The first secret signs, all verify. */
  constructor(crypto: Crypto, secrets: readonly string[]) {
    this.#crypto = crypto;
    this.#secrets = keysFor('asset-gateway siwx', crypto, secrets);
  }

  issue(origin: string, epoch: string, nowMs: number): string {
    const seconds = Math.floor(nowMs / 1000);
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUIntBE(seconds % TIME_RANGE, 0, TIME_BYTES);
    head.set(random(RANDOM_BYTES), TIME_BYTES);
    const [key] = this.#keysOf(epoch);
    if (!key) throw new Error('no secret to sign nonces with');
    return head.toString('hex') + this.#mac(key, origin, seconds, head).toString('hex');
  }

  /** Verifies a nonce; undefined if it was not issued here for this origin and epoch. */
  read(nonce: string, origin: string, epoch: string, nowMs: number) {
    if (!FORMAT.test(nonce)) return undefined;
    const bytes = Buffer.from(nonce, 'hex');
    const head = bytes.subarray(0, HEAD_BYTES);
    const issuedAtSeconds = nearest(head.readUIntBE(0, TIME_BYTES), Math.floor(nowMs / 1000));
    const genuine = this.#keysOf(epoch).some((key) =>
      equalSecrets(this.#mac(key, origin, issuedAtSeconds, head), bytes.subarray(HEAD_BYTES)),
    );
    return genuine ? { issuedAtSeconds, epoch } : undefined;
  }

  #mac(key: Uint8Array, origin: string, seconds: number, head: Buffer): Buffer {
    const random = head.toString('hex', TIME_BYTES);
    const message = Buffer.from(`siwx1|${origin}|${seconds}|${random}`);
    return this.#crypto.mac(key, message).subarray(0, 16 - HEAD_BYTES);
  }

  #keysOf(epoch: string): readonly Uint8Array[] {
    if (epoch !== this.#epoch) {
      this.#keys = this.#secrets.map((secret) => this.#crypto.mac(secret, Buffer.from(`epoch ${epoch}`)));
      this.#epoch = epoch;
    }
    return this.#keys;
  }
}

/** The time with these low bytes that is closest to now. */
function nearest(low: number, nowSeconds: number): number {
  const behind = (((nowSeconds - low) % TIME_RANGE) + TIME_RANGE) % TIME_RANGE;
  return behind < TIME_RANGE / 2 ? nowSeconds - behind : nowSeconds - behind + TIME_RANGE;
}
