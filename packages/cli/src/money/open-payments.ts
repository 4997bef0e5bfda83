import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { SentRequest } from '@asset-gateway/client';
import { makeFolder, writeDurably } from './durable.ts';

/** A payment that was signed and whose outcome is not known yet. It is as good as money. */
export interface OpenPayment {
  readonly id: string;
  readonly at: number;
  readonly micros: number;
  /** The process that made it. */
  readonly pid: number;
  readonly request: SentRequest;
  readonly headers: Readonly<Record<string, string>>;
}

const SUFFIX = '.json';

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Signed payments, a file each, from before they are sent until it is known what became of them. */
export class OpenPayments {
  readonly #folder: string;
  /** Those that this process has made. */
  readonly #own = new Set<string>();

  constructor(stateFolder: string) {
    this.#folder = join(stateFolder, 'payments');
  }

  /** Once this has returned, a crash does not lose the payment. */
  record(payment: OpenPayment): void {
    makeFolder(this.#folder);
    this.#own.add(payment.id);
    writeDurably(this.#file(payment.id), JSON.stringify(payment));
  }

  remove(id: string): void {
    rmSync(this.#file(id), { force: true });
  }

  /** Whether one that this process has made is still open. */
  get hasOwn(): boolean {
    return this.#names().some((name) => this.#own.has(name.slice(0, -SUFFIX.length)));
  }

  /** All of them, the oldest first. */
  list(): OpenPayment[] {
    return this.#names()
      .map((name) => this.#read(join(this.#folder, name)))
      .sort((one, other) => one.at - other.at);
  }

  /** One for the same request that nobody is sending any more. */
  abandonedFor({ url, method, body }: SentRequest): OpenPayment | undefined {
    return this.list().find(({ id, request, pid }) => {
      const isSame = request.url === url && request.method === method && request.body === body;
      return isSame && !this.#own.has(id) && (pid === process.pid || !isAlive(pid));
    });
  }

  #read(file: string): OpenPayment {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as OpenPayment;
    } catch {
      throw new Error(
        `${file} cannot be read; it is a payment whose outcome is open: move it away to go on without it`,
      );
    }
  }

  #file(id: string): string {
    return join(this.#folder, id + SUFFIX);
  }

  #names(): string[] {
    try {
      return readdirSync(this.#folder).filter((name) => name.endsWith(SUFFIX));
    } catch {
      return [];
    }
  }
}
