/** Errors that persist until the operator acts, each with the remedy. The first match decides. */
const LASTING: readonly (readonly [error: RegExp, advice: string])[] = [
  [
    /^(?:MOVED|ASK|CROSSSLOT|CLUSTERDOWN) /,
    'it is a node of a Redis cluster that does not hold all our keys; name one server, or a primary with replicas',
  ],
  [
    /^NOPERM |ACL failure|user executing the script/,
    'its user may not do that; allow EVAL, EVALSHA, INFO, TIME and the commands for strings, hashes and sorted sets, on keys {gw:*',
  ],
  [/^NOAUTH /, 'it needs a password; write it into the URL'],
  [/unknown (?:redis )?command/i, 'it lacks a command, or has renamed it; use Redis 7 or Valkey'],
  [
    /INFO names no run_id/,
    'a loss of its data would go unnoticed; use Redis 7 or Valkey, without a proxy that answers INFO',
  ],
];

const MAX_LENGTH = 120;

/** Returns the reason and the remedy if the server will keep refusing our commands; undefined for errors that may end by themselves. */
export function lastingRefusal({ message }: Error): string | undefined {
  const [, advice] = LASTING.find(([error]) => error.test(message)) ?? [];
  const [line = ''] = message.split('\n', 1);
  return advice && `Redis refuses our commands (${line.slice(0, MAX_LENGTH)}): ${advice}`;
}
