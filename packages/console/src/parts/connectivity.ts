import { GatewayError } from '@asset-gateway/client';

/** The errors of requests that got no answer. */
const unanswered = new WeakSet<object>();

/** Whether the gateway answers. Its event `change` follows each change. */
class Connectivity extends EventTarget {
  isLost = false;
  /** Whether a part of the page failed to load, which only a reload can fix. */
  #isIncomplete = false;

  constructor() {
    super();
    globalThis.addEventListener?.('vite:preloadError', (event: Event & { readonly payload?: Error }) => {
      unanswered.add(event.payload ?? event);
      this.#isIncomplete = true;
      this.#set(true);
    });
  }

  /** Does what `fetch` does, and remembers whether the gateway answered. */
  readonly fetch: typeof fetch = async (input, init) => {
    try {
      const response = await fetch(input, init);
      this.#set(false);
      return response;
    } catch (error) {
      if (error instanceof TypeError) {
        unanswered.add(error);
        this.#set(true);
      }
      throw error;
    }
  };

  /** Tests whether the gateway is back. If it is, everything that failed without it loads again. */
  async retry(): Promise<void> {
    const answer = await this.fetch('/healthz', { cache: 'no-store' }).catch(() => undefined);
    if (answer && this.#isIncomplete) location.reload();
  }

  #set(isLost: boolean): void {
    if (isLost === this.isLost || (!isLost && this.#isIncomplete)) return;
    this.isLost = isLost;
    this.dispatchEvent(new Event('change'));
  }
}

/** The connectivity that all views of a tab share. */
export const connectivity = new Connectivity();

/** The codes of a call that sent no payment, so that it can be repeated. */
const UNSENT = ['unreachable', 'payment_not_made'];

/** Whether a call failed because the gateway does not answer, before a payment was sent. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof GatewayError
    ? error.code === 'unreachable' || (UNSENT.includes(error.code) && isUnreachable(error.cause))
    : typeof error === 'object' && error !== null && unanswered.has(error);
