import type { Answer } from './http-client.ts';
import type { World } from './world.ts';

/** A problem and its fix, as clauses without a full stop. */
export interface Fault {
  /** `METHOD url`. */
  readonly where: string;
  readonly problem: string;
  readonly fix: string;
}

/** A fault, and the check that found it. */
export interface Finding extends Fault {
  readonly check: string;
}

/** A check of the gathered answers; sends no requests. */
export interface Check {
  readonly name: string;
  readonly run: (world: World) => readonly Fault[];
}

/** The request of an answer. */
export const whereOf = ({ method, url }: Pick<Answer, 'method' | 'url'>): string => `${method} ${url}`;

/** Returns the fault unless a condition holds. */
export const unless = (holds: boolean, fault: Fault): Fault[] => (holds ? [] : [fault]);
