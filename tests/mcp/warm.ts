import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type JSONRPCMessage, ReadBuffer, serializeMessage, type Transport } from '@modelcontextprotocol/client';

/** A process that serves one host after another; most of what a server takes is the start of its process and its first payment. */
export interface WarmServer {
  /** What leads a host to a server that is run with these words and variables; the one before it has to be closed. */
  open(words: readonly string[], env: NodeJS.ProcessEnv): Transport;
  close(): Promise<void>;
}

class WarmTransport implements Transport {
  readonly #child: ChildProcess;
  readonly #host: object;
  readonly #received = new ReadBuffer();
  #ended = (): void => undefined;
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;

  constructor(child: ChildProcess, host: object) {
    this.#child = child;
    this.#host = host;
  }

  async start(): Promise<void> {
    this.#child.on('message', this.#read);
    this.#child.send({ host: this.#host });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#child.send({ line: serializeMessage(message) });
  }

  async close(): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      this.#ended = resolve;
    });
    this.#child.send({});
    await ended;
    this.#child.off('message', this.#read);
    this.onclose?.();
  }

  readonly #read = ({ written = '', code }: { written?: string; code?: number }): void => {
    if (code !== undefined) this.#ended();
    this.#received.append(Buffer.from(written));
    for (let message = this.#received.readMessage(); message; message = this.#received.readMessage()) {
      this.onmessage?.(message);
    }
  };
}

/** Starts one. */
export function startWarmServer(): WarmServer {
  const stdio = ['ignore', 'ignore', 'ignore', 'ipc'] as const;
  const child = fork('tests/mcp/warm.mjs', { execArgv: [], env: { PATH: process.env.PATH }, stdio: [...stdio] });
  const ended = once(child, 'exit');
  return {
    open: (words, env) => new WarmTransport(child, { words, env }),
    async close() {
      child.kill();
      await ended;
    },
  };
}
