/** One request and what came back, as they happened. */
export interface Step {
  readonly method: string;
  readonly url: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** What was signed for this request; nothing where nothing was. */
  readonly signedText: string | undefined;
  readonly status: number;
  readonly responseHeaders: Readonly<Record<string, string>>;
  /** Milliseconds from the request to the head of its answer. */
  readonly ms: number;
}

/** What the free routes may still be asked by all callers together, as the latest answer said. */
export interface Budget {
  /** Calls that may be made in a window. */
  readonly limit: number;
  readonly left: number;
  /** When the next call frees, in milliseconds of `performance.now()`. */
  readonly freesAt: number;
}

const MAX_STEPS = 50;
const LEFT = /;r=([0-9]{1,9});t=([0-9]{1,6})$/;
const LIMIT = /;q=([0-9]{1,9});/;

function budgetIn({ headers }: Response): Budget | undefined {
  const [, left, seconds] = LEFT.exec(headers.get('ratelimit') ?? '') ?? [];
  const [, limit] = LIMIT.exec(headers.get('ratelimit-policy') ?? '') ?? [];
  if (left === undefined || limit === undefined) return undefined;
  return { limit: Number(limit), left: Number(left), freesAt: performance.now() + Number(seconds) * 1000 };
}

/** Notes what a client sends and gets. Only the latest steps are kept. */
export class Recorder {
  readonly #steps: Step[] = [];
  readonly #texts = new Map<string, string>();
  readonly #listeners = new Set<() => void>();
  #budget: Budget | undefined;

  readonly fetch: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const startedAt = performance.now();
    const response = await fetch(request);
    this.#steps.push({
      method: request.method,
      url: request.url,
      requestHeaders: Object.fromEntries(request.headers),
      signedText: this.#textFor(request.headers.get('sign-in-with-x')),
      status: response.status,
      responseHeaders: Object.fromEntries(response.headers),
      ms: performance.now() - startedAt,
    });
    if (this.#steps.length > MAX_STEPS) this.#steps.shift();
    this.#budget = budgetIn(response) ?? this.#budget;
    for (const listener of this.#listeners) listener();
    return response;
  };

  /** What is left of the budget; nothing before an answer has said so. */
  get budget(): Budget | undefined {
    return this.#budget;
  }

  /** Is told of every answer from now on; gives what ends that. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** A message is being signed. */
  signed(message: Uint8Array): void {
    const text = new TextDecoder().decode(message);
    const nonce = /^Nonce: (\S+)$/m.exec(text)?.[1] ?? '';
    this.#texts.set(nonce, text);
    if (this.#texts.size > MAX_STEPS) this.#texts.delete(this.#texts.keys().next().value ?? '');
  }

  /** The latest requests for this URL, down to the last one that was let in. */
  stepsFor(url: string): readonly Step[] {
    const steps = this.#steps.filter((step) => step.url === url);
    const before = steps.slice(0, -1).findLastIndex(({ status }) => status !== 402);
    return steps.slice(before + 1);
  }

  #textFor(header: string | null): string | undefined {
    if (header === null) return undefined;
    const { nonce } = JSON.parse(atob(header)) as { readonly nonce?: string };
    return this.#texts.get(nonce ?? '');
  }
}
