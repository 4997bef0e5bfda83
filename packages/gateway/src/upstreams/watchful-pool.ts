import type { Dispatcher } from 'undici';
import { Pool } from '../pool.ts';

/** What is noted of one request; undici's errors do not tell. */
export interface Progress {
  /** From then on, by `performance.now()`, it is not written any more. */
  readonly writeUntilMs: number;
  /** Whether it has been written, or begun to be. */
  written: boolean;
  /** Whether anything of the answer has come. */
  started: boolean;
}

/** The handlers that undici's own `request` has. */
type Handler = Required<Pick<Dispatcher.DispatchHandler, 'onConnect'>> & Dispatcher.DispatchHandler;

/** A pool that notes on a request's own `opaque` how far it has come. */
export class WatchfulPool extends Pool {
  override dispatch(
    options: Dispatcher.DispatchOptions & { readonly opaque?: Progress },
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    const { opaque } = options;
    return super.dispatch(options, opaque ? watched(handler as Handler, opaque) : handler);
  }
}

function watched(handler: Handler, progress: Progress): Handler {
  const onConnect = handler.onConnect.bind(handler);
  return Object.assign(handler, {
    // undici calls it immediately before it writes. A process that was stopped reads its sockets before its timers run.
    onConnect(abort: (error?: Error) => void) {
      if (performance.now() >= progress.writeUntilMs) {
        abort(new Error('too late to be written'));
        return;
      }
      progress.written = true;
      onConnect(abort);
    },
    onResponseStarted() {
      progress.started = true;
    },
  });
}
