import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { newKeypair, signerFromBytes } from '@asset-gateway/client/node';
import { positionalParameters, type Route, routes } from '@asset-gateway/protocol';
import {
  type CallToolResult,
  Client,
  type ClientOptions,
  type ElicitRequest,
  type ElicitResult,
  ReadBuffer,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterEach } from 'vitest';
import { passingTo, runOn } from '../cli/in-process.ts';
import { makeFolder } from '../kit/folder.ts';
import type { PaidGateway } from '../kit/test-gateway.ts';

/** A transport to a server in this process, over streams in place of its stdin and stdout. Close the previous one first. */
export function transportHere(words: readonly string[], env: NodeJS.ProcessEnv): Transport {
  const [received, stdin] = [new ReadBuffer(), new PassThrough()];
  let ended: Promise<unknown>;
  const stdout = passingTo((chunk) => {
    received.append(chunk);
    for (let message = received.readMessage(); message; message = received.readMessage())
      transport.onmessage?.(message);
  });
  const transport: Transport = {
    async start() {
      ended = runOn({ stdin, stdout, stderr: passingTo(() => undefined) }, words, env);
    },
    async send(message) {
      stdin.write(serializeMessage(message));
    },
    async close() {
      stdin.destroy();
      await ended;
      transport.onclose?.();
    },
  };
  return transport;
}

/** The two versions of the protocol, with the options of a client. */
export const ERAS = [
  ['2026-07-28', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
  ['2025', {}],
] as const satisfies readonly (readonly [string, ClientOptions])[];

export type EraOptions = (typeof ERAS)[number][1];

/** A host with the program and a funded wallet. */
export type Host = Awaited<ReturnType<typeof startHost>>;

/** Options of a host. */
export interface HostOptions {
  readonly words?: readonly string[];
  readonly era?: EraOptions;
  /** Answers the questions of the host. Without a user the host cannot ask. */
  readonly user?: (question: string) => ElicitResult['action'];
  readonly client?: ClientOptions;
  /** What the wallet holds, in millionths of a USDC; default: a million. */
  readonly usdcMicros?: bigint;
  /** Whether the server is the bundled program in a process of its own. */
  readonly isProgram?: boolean;
  /** Whether the server has no wallet: the client pays. */
  readonly isWalletless?: boolean;
  /** The gateway to use, if it is not the one whose chain has the wallet's money. */
  readonly url?: string;
}

export const PROGRAM = 'packages/cli/bin/main.js';

/** Starts the program over stdio, in this process or in one of its own. */
export async function startHost(gateway: PaidGateway, options: HostOptions = {}) {
  const { words = [], era = {}, user } = options;
  const chain = gateway.solana.mainnet;
  const [folder, keypair] = [makeFolder(), newKeypair()];
  const [file, { address }] = [join(folder, 'id.json'), signerFromBytes(keypair)];
  writeFileSync(file, JSON.stringify([...keypair]));
  await chain.fundUsdc(address, options.usdcMicros ?? 1_000_000n);
  const capabilities = user ? { capabilities: { elicitation: {} } } : {};
  const client = new Client({ name: 'test-host', version: '1.0.0' }, { ...era, ...capabilities, ...options.client });
  const questions: string[] = [];
  if (user) {
    client.setRequestHandler('elicitation/create', async ({ params: { message } }: ElicitRequest) => {
      questions.push(message);
      return { action: user(message), content: {} };
    });
  }
  const args = ['mcp', ...(options.isWalletless ? [] : ['--keypair', file, '--rpc', chain.url]), ...words];
  const folders = { HOME: folder, XDG_STATE_HOME: folder, XDG_CACHE_HOME: folder };
  const env = { ASSET_GATEWAY_URL: options.url ?? gateway.url, ...folders };
  const own = { command: process.execPath, args: [PROGRAM, ...args], env, stderr: 'ignore' as const };
  await client.connect(options.isProgram ? new StdioClientTransport(own) : transportHere(args, env));
  const call = (name: string, input: object = {}) => client.callTool({ name, arguments: { ...input } });
  return {
    client,
    /** The environment of the same user's command line. */
    env,
    keypairFile: file,
    address,
    /** The questions to the user. */
    questions: questions as readonly string[],
    call,
    /** The number of its payments on the chain. */
    transfers: () => chain.transfers.filter(({ from }) => from === address).length,
    /** The spending in the server's ledger. */
    spentUsd: async () => ((await call('spending')).structuredContent as { spentUsd: unknown }).spentUsd,
    close: () => client.close(),
  };
}

/** Opens hosts of one test after another; closes them after the test. */
export function useHosts(gateway: PaidGateway, shared: HostOptions = {}): (options?: HostOptions) => Promise<Host> {
  const hosts: Host[] = [];
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.close();
  });
  return async (options = {}) => {
    const host = await startHost(gateway, { ...shared, ...options });
    hosts.push(host);
    return host;
  };
}

/** The text of an answer or a tool error. */
export const textOf = ({ content: [first] }: CallToolResult): string => (first?.type === 'text' ? first.text : '');

/** The tokens of a value as JSON, by a current public tokenizer. */
export const tokensOf = (value: unknown): number => countTokens(JSON.stringify(value));

/** The mainnet row of a method's tool. */
export const rowOf = (tool: string): Route =>
  routes.findLast(
    ({ id, surface, cluster = 'mainnet' }) =>
      cluster === 'mainnet' && tool === `${surface}_${id.slice(id.lastIndexOf('.') + 1)}`,
  ) as Route;

/** The example of a row as a tool's input. */
export function inputOf(row: Route): Record<string, unknown> {
  const { path = {}, query, body } = row.example;
  const params = body?.params;
  const names = positionalParameters(row)?.map(({ name }) => name);
  if (names && Array.isArray(params)) return Object.fromEntries(params.map((value, at) => [names[at], value]));
  return { ...path, ...query, ...((params as object | undefined) ?? body) };
}
