import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** A request that has come: not before the one time, and not after the other. */
export interface Seen {
  readonly target: string;
  readonly since: number;
  readonly at: number;
}

/** A proxy before an upstream that notes arrival times in its own thread, also while the test is busy. */
export interface ArrivalCounter {
  readonly url: string;
  /** Everything that has come until now, the earliest first. */
  seen(): Promise<readonly Seen[]>;
  close(): Promise<void>;
}

/** Starts one before an HTTP server of 127.0.0.1. */
export async function startArrivalCounter(url: string): Promise<ArrivalCounter> {
  const thread = new Worker(new URL('./arrival-counter-thread.mjs', import.meta.url), {
    workerData: Number(new URL(url).port),
  });
  const [{ port }] = (await once(thread, 'message')) as [{ port: number }];
  const requests: Seen[] = [];
  const pings = new Map<number, () => void>();
  thread.on('message', ({ ping, ...seen }: Seen & { ping?: number }) => {
    if (ping === undefined) requests.push(seen);
    else pings.get(ping)?.();
  });
  return {
    url: `http://127.0.0.1:${port}`,
    async seen() {
      const ping = pings.size;
      await new Promise<void>((resolve) => {
        pings.set(ping, resolve);
        thread.postMessage(ping);
      });
      return requests;
    },
    close: async () => void (await thread.terminate()),
  };
}
