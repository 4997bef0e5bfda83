import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { UsedSignIn } from './honest.ts';

/** Whom to attack, and with what. */
export interface AttackPlan {
  readonly url: string;
  readonly rpcUrl: string;
  /** Key pairs of wallets that cannot pay, and of two that could. */
  readonly poor: readonly (readonly number[])[];
  readonly rich: readonly (readonly number[])[];
  /** An account that the provider never answers about, and the pace at which it is asked for. */
  readonly hangs: string;
  readonly hangMs: number;
  /** How many connections say nothing, and how many pipelines are not read. */
  readonly silent: number;
  readonly pipelines: number;
}

/** How often each attack was answered how. */
export type Tally = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Attackers in a process of their own. */
export interface Attackers {
  /** Has them replay sign-ins. */
  replay(used: readonly UsedSignIn[]): void;
  /** Lets them end what they have begun, and tells what they were answered. */
  stop(): Promise<{ readonly tally: Tally; readonly cpuSeconds: number }>;
  kill(): void;
}

/** Starts them. */
export function startAttackers(plan: AttackPlan): Attackers {
  const child: ChildProcess = fork('tests/survival/attackers.mjs', { execArgv: [] });
  child.send(plan);
  return {
    replay: (used) => void child.send({ used }),
    async stop() {
      const told = once(child, 'message');
      child.send({ isOver: true });
      const [outcome] = (await told) as [{ tally: Tally; cpuSeconds: number }];
      return outcome;
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
