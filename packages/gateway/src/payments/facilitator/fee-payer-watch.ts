import type { Chain } from './chain.ts';

/** What a fee payer must hold to pay fees again: the rent of its account, and the dearest fee. */
const ENOUGH_LAMPORTS = 890_880 + 20_000;
const POLL_MS = 5_000;

/** Remembers on which networks the fee payer has run out of SOL, and asks until it has some again. */
export class FeePayerWatch {
  readonly #address: string;
  readonly #chains: ReadonlyMap<string, Chain>;
  readonly #notice: (message: string) => void;
  readonly #empty = new Map<string, NodeJS.Timeout>();

  constructor(address: string, chains: ReadonlyMap<string, Chain>, notice: (message: string) => void) {
    this.#address = address;
    this.#chains = chains;
    this.#notice = notice;
  }

  isEmpty(network: string): boolean {
    return this.#empty.has(network);
  }

  /** The chain has refused a transaction because of the fee payer. */
  ranOut(network: string): void {
    if (this.#empty.has(network)) return;
    this.#notice(
      `the fee payer ${this.#address} cannot pay fees on ${network}: nothing is sold there until it holds SOL`,
    );
    this.#empty.set(network, setInterval(() => void this.#look(network), POLL_MS).unref());
  }

  close(): void {
    for (const timer of this.#empty.values()) clearInterval(timer);
  }

  async #look(network: string): Promise<void> {
    const account = await this.#chains
      .get(network)
      ?.account(this.#address)
      .catch(() => undefined);
    if ((account?.lamports ?? 0) < ENOUGH_LAMPORTS || !this.#empty.has(network)) return;
    clearInterval(this.#empty.get(network));
    this.#empty.delete(network);
    this.#notice(`the fee payer holds SOL on ${network} again: its routes are sold`);
  }
}
