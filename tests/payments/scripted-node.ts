import { json, startStrangeGateway } from '../kit/strange-gateway.ts';

/** What a node answers to one call: members of JSON-RPC, or a status of HTTP. */
type NodeAnswer = { readonly result: unknown } | { readonly error: unknown } | { readonly status: number };

/** Answers by method, call by call; the last one stays. */
type Script = Readonly<Record<string, readonly NodeAnswer[]>>;

/** A node behind HTTP whose answers a test writes. It stops after the tests of the file. */
export async function startScriptedNode() {
  const node = await startStrangeGateway();
  const calls: { readonly method: string; readonly params: readonly unknown[] }[] = [];
  return {
    url: node.url,
    /** The calls since the script was set. */
    calls,
    methods: (): string[] => calls.map(({ method }) => method),
    /** Sets the answers, and forgets earlier calls. */
    play(script: Script): void {
      calls.length = 0;
      const left = new Map(Object.entries(script).map(([method, answers]) => [method, [...answers]]));
      node.answer(({ body }, response) => {
        const call = JSON.parse(body) as (typeof calls)[number];
        calls.push(call);
        const answers = left.get(call.method) ?? [];
        const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? { status: 500 };
        json(response, 'status' in answer ? answer.status : 200, answer);
      });
    },
  };
}

const SLOT = 100;

/** Answers of a node. */
export const RPC = {
  simulated: (err: unknown) => ({ result: { context: { slot: SLOT }, value: { err } } }),
  sent: { result: 'signature' },
  /** The node's simulation before sending has failed. */
  unsimulated: (err: unknown) => ({ error: { code: -32_002, data: { err } } }),
  status: (found: object | null, slot = SLOT) => ({ result: { context: { slot }, value: [found] } }),
  account: (lamports: number) => ({ result: { value: { owner: 'system', lamports } } }),
};

export const CONFIRMED = RPC.status({ err: null, confirmationStatus: 'confirmed' });
export const FAILED = RPC.status({ err: 'InstructionError', confirmationStatus: 'confirmed' });
export const PROCESSED = RPC.status({ err: null, confirmationStatus: 'processed' });
export const MISSING = RPC.status(null);
export const NO_ACCOUNT = { result: { value: null } };
