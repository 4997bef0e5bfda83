import type { Dispatcher } from 'undici';
import { Pool } from '../pool.ts';

/** What is noted of one request's answer. */
export interface Progress {
  /** Whether anything of the answer has come. */
  started: boolean;
}

/** A pool that notes on a request's own `opaque` when its answer begins; undici's errors do not tell. */
export class WatchfulPool extends Pool {
  override dispatch(
    options: Dispatcher.DispatchOptions & { readonly opaque?: Progress },
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    const { opaque } = options;
    const onResponseStarted = () => {
      if (opaque) opaque.started = true;
    };
    return super.dispatch(options, Object.assign(handler, { onResponseStarted }));
  }
}
