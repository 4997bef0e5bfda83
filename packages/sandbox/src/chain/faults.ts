import type { Json } from './json.ts';

/** An error that a method is told to answer. */
export interface RefusedCall {
  readonly code: number;
  readonly message: string;
  readonly data?: Json;
}

/** What the node says that is not so. */
export interface Lies {
  /** Every simulation succeeds. */
  readonly simulateOk?: boolean | undefined;
  /** Signatures that nobody has seen are confirmed. */
  readonly statusConfirmed?: boolean | undefined;
  /** Signatures that are on the chain are unknown. */
  readonly statusMissing?: boolean | undefined;
  /** Signatures that are on the chain have been processed, and no more. */
  readonly statusProcessed?: boolean | undefined;
}

/** What can go wrong with the node and its network; every knob that is not set is off. */
export interface ChainFaultKnobs {
  /** Take and land what is sent, and close the connection instead of answering. */
  dropAfterBroadcast?: boolean | undefined;
  /** Answer with the signature of what is sent, and never land it. */
  loseBroadcast?: boolean | undefined;
  /** Show the status of what landed only so many milliseconds later. */
  confirmAfterMs?: number | undefined;
  /** Methods that answer an error, by their name. */
  refuse?: Readonly<Record<string, RefusedCall>> | undefined;
  /** Methods that never answer. */
  hang?: ReadonlySet<string> | undefined;
  /** The HTTP status of every answer, which then says nothing else. */
  status?: number | undefined;
  /** Milliseconds to wait before anything is answered. */
  delayMs?: number | undefined;
  /** The methods that `status` and `delayMs` are for; all when unset. */
  only?: ReadonlySet<string> | undefined;
  lie?: Lies | undefined;
}

/** The knobs of a running chain; they may be turned at any time. */
export interface ChainFaults extends ChainFaultKnobs {
  /** Lets the blocks run on until no blockhash that was ever handed out is good. */
  expireBlockhashes(): void;
  /** Turns every knob off. */
  reset(): void;
}

const KEPT = new Set(['reset', 'expireBlockhashes']);

/** Fresh knobs, all off. */
export function createChainFaults(expireBlockhashes: () => void): ChainFaults {
  const faults: ChainFaults = {
    expireBlockhashes,
    reset() {
      for (const knob of Object.keys(faults).filter((name) => !KEPT.has(name))) {
        Reflect.deleteProperty(faults, knob);
      }
    },
  };
  return faults;
}
