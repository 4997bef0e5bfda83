import { connectivity } from './parts/connectivity.ts';

/** One request, its signed text, and its answer. `ms`: milliseconds until the answer's headers. */
export type RecordedRequest = ReturnType<typeof stepOf>;

const stepOf = (request: Request, response: Response, signedText: string | undefined, ms: number) => ({
  method: request.method,
  url: request.url,
  requestHeaders: Object.fromEntries(request.headers),
  signedText,
  status: response.status,
  responseHeaders: Object.fromEntries(response.headers),
  ms,
});

const MAX_STEPS = 50;
const LEFT = /;r=([0-9]{1,9});t=([0-9]{1,6})$/;
const LIMIT = /;q=([0-9]{1,9});/;

/**
 * Returns the budget of free routes, which all clients share: calls per window, calls left, and when the next is available, in milliseconds
 * of `performance.now()`.
 */
function budgetIn({ headers }: Response) {
  const [, left, seconds] = LEFT.exec(headers.get('ratelimit') ?? '') ?? [];
  const [, limit] = LIMIT.exec(headers.get('ratelimit-policy') ?? '') ?? [];
  if (left === undefined || limit === undefined) return undefined;
  return { limit: Number(limit), left: Number(left), freesAt: performance.now() + Number(seconds) * 1000 };
}

/** Records a client's latest requests and answers. Its event `answer` follows each answer. */
export class Recorder extends EventTarget {
  readonly #steps: RecordedRequest[] = [];
  readonly #texts = new Map<string, string>();
  /** The budget; undefined until an answer names it. */
  budget: ReturnType<typeof budgetIn>;

  readonly fetch: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const startedAt = performance.now();
    const response = await connectivity.fetch(request);
    const signedText = this.#textFor(request.headers.get('sign-in-with-x'));
    this.#steps.push(stepOf(request, response, signedText, performance.now() - startedAt));
    if (this.#steps.length > MAX_STEPS) this.#steps.shift();
    this.budget = budgetIn(response) ?? this.budget;
    this.dispatchEvent(new Event('answer'));
    return response;
  };

  /** Notes a signed message. */
  signed(message: Uint8Array): void {
    const text = new TextDecoder().decode(message);
    const nonce = /^Nonce: (\S+)$/m.exec(text)?.[1] ?? '';
    this.#texts.set(nonce, text);
    if (this.#texts.size > MAX_STEPS) this.#texts.delete(this.#texts.keys().next().value ?? '');
  }

  /** Returns the requests of the latest call to this URL. */
  stepsFor(url: string): readonly RecordedRequest[] {
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
