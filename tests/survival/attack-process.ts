import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { UsedSignIn } from './honest.ts';

/** The target and the means of the attacks. */
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

/** Answers by attack. */
export type Tally = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Attackers in a process of their own. */
export interface Attackers {
  /** Has them replay sign-ins. */
  replay(used: readonly UsedSignIn[]): void;
  /** Stops them; returns their answers. */
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
