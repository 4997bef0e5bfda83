import type { Answer } from './http-client.ts';
import type { World } from './world.ts';

/** Something that does not hold, and what to do about it. Both texts are clauses without a full stop. */
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

/** One thing to look at. It reads what was gathered and asks nothing itself. */
export interface Check {
  readonly name: string;
  readonly run: (world: World) => readonly Fault[];
}

/** Where an answer came from. */
export const whereOf = ({ method, url }: Pick<Answer, 'method' | 'url'>): string => `${method} ${url}`;

/** No fault when something holds. */
export const unless = (holds: boolean, fault: Fault): Fault[] => (holds ? [] : [fault]);
