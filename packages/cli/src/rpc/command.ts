import { randomBytes } from 'node:crypto';
import type { CommandInput } from '../commands/command.ts';
import { EXIT, UsageError } from '../failure.ts';
import { portIn, serveHere } from '../loopback.ts';
import { clusterIn, type Values } from '../options.ts';
import { isHttpUrl, type Session } from '../session.ts';
import { Answers } from './answer.ts';
import { fallbackTo } from './fallback.ts';
import { rpcServer } from './server.ts';

/** The port of Solana's own local node. */
const DEFAULT_PORT = '8899';
const PATH = /^\/?([\w-]{0,64})$/;

/** Returns the URL's path. It is random, so that only programs that know the URL can spend. */
function pathIn(values: Values): string {
  const [, name] = PATH.exec(values.text('path') ?? randomBytes(16).toString('base64url')) ?? [];
  if (name === undefined) throw new UsageError('--path takes letters, digits, - and _, or / for none');
  return `/${name}`;
}

function originsIn(values: Values): string[] {
  const origins = (values.text('origin') ?? '').split(',').filter(Boolean);
  const isOrigin = (text: string): boolean => isHttpUrl(text) && new URL(text).origin === text;
  if (!origins.every(isOrigin)) throw new UsageError('--origin takes origins such as http://localhost:3000');
  return origins;
}

function fallbackIn(values: Values) {
  const url = values.text('fallback');
  if (url !== undefined && !isHttpUrl(url))
    throw new UsageError('--fallback takes the http or https URL of a Solana RPC');
  return url === undefined ? undefined : fallbackTo(url);
}

/** Returns the address that pays. Throws if no call could be paid. */
async function payerOf({ isPreapproved, wallet }: Session): Promise<string> {
  const { source, signer } = await wallet;
  if (source !== 'temporary' || isPreapproved) return signer.address;
  throw new UsageError(
    'rpc pays from the credit of a wallet, and there is none: --credit makes one and buys credit within the limits',
  );
}

/** Serves Solana's JSON-RPC to programs on this machine until a signal. Returns the exit code. */
export async function serveRpc({ values, session }: CommandInput): Promise<number> {
  const { terminal, gateway, rpc, isPreapproved } = session;
  const port = portIn(values.text('port') ?? DEFAULT_PORT, '--port');
  const [path, origins, fallback, cluster] = [pathIn(values), originsIn(values), fallbackIn(values), clusterIn(values)];
  const address = await payerOf(session);
  const paying = await session.client({ isServer: true });
  const answers = new Answers({
    client: paying.with({ cluster }),
    peers: { gateway, rpc },
    unpaidHint: isPreapproved ? '' : 'Start rpc with --credit to buy credit within the limits.',
    fallback,
  });
  const server = rpcServer({ path, origins, answerTo: (body) => answers.to(body) });
  await serveHere(server, port, (origin) => {
    terminal.note(`rpc: Solana ${cluster}, paid from the credit of ${address}; websockets are not served`);
    process.stdout.write(`${origin}${path === '/' ? '' : path}\n`);
  });
  return EXIT.ok;
}
