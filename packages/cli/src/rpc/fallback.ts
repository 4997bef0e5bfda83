import { attempt, isObject, readBytes, TooLarge } from '@asset-gateway/protocol';

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** Sends a JSON-RPC request to another RPC. Returns its answer unchanged. */
export type Fallback = (request: string) => Promise<string>;

/** Returns a fallback. Messages show only the URL's host, because the rest may hold a key. */
export function fallbackTo(url: string): Fallback {
  const { host } = new URL(url);
  const failed = (why: string, cause?: unknown): never => {
    throw new Error(`the fallback ${host} ${why}`, { cause });
  };
  return async (body) => {
    const headers = { 'Content-Type': 'application/json' };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const init = { method: 'POST', redirect: 'error', headers, body, signal } as const;
    const response = await fetch(url, init).catch((cause) => failed('cannot be reached', cause));
    const bytes = await readBytes(response.body, MAX_BYTES).catch((cause) =>
      failed(cause instanceof TooLarge ? `answers with more than ${MAX_BYTES} bytes` : 'broke off its answer', cause),
    );
    const text = new TextDecoder().decode(bytes);
    return isAnswer(text) ? text.trim() : failed(`answers ${response.status} without JSON-RPC`);
  };
}

function isAnswer(text: string): boolean {
  const answer = attempt((): unknown => JSON.parse(text), undefined);
  return isObject(answer) && ('result' in answer || 'error' in answer);
}
