import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  McpServer,
  type McpServerFactory,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { Approvals } from './approvals.ts';
import { type ArgumentSchema, argumentSchema } from './argument-schema.ts';
import { Calls, type CallsOptions } from './calls.ts';
import { ANSWER_TEMPLATE, KeptAnswers } from './kept-answers.ts';
import { methodTools } from './method-tools.ts';
import { quoteTool, spendingTool } from './money-tools.ts';
import type { Desk } from './paying.ts';
import { readOnTool } from './read-on-tool.ts';
import type { ServedTool } from './served-tool.ts';

/** What a server is made of. */
export interface McpOptions extends CallsOptions {
  /** Every method as a tool of its own, not only those most asked for. */
  readonly isAll: boolean;
  readonly version: string;
}

const NAME = 'asset-gateway';
const INSTRUCTIONS =
  'Market data of assets and Solana data. Find an asset with tokens_search or tokens_resolve, then ask by its assetId or mint. ' +
  'What costs something says so; beyond its budget the server asks the user before it pays. Long answers are cut: read_on shows the rest.';

/** Whether the host has said that it can show a form to its user: with this request, or once when it connected. */
function canAsk(server: McpServer, { mcpReq: { envelope } }: ServerContext): boolean {
  const claims = envelope as Readonly<Record<string, unknown>> | undefined;
  const declared = claims?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  const elicitation = (declared ?? server.server.getClientCapabilities())?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

function offer(
  server: McpServer,
  { name, title, description, annotations, call }: ServedTool,
  inputSchema: ArgumentSchema,
): void {
  server.registerTool(name, { title, description, annotations, inputSchema }, (input, context) =>
    call(input, { signal: context.mcpReq.signal, canAsk: canAsk(server, context), request: context.mcpReq }),
  );
}

/** Offers the whole texts of answers that were cut. */
function offerAnswers(server: McpServer, kept: KeptAnswers): void {
  const description = 'The whole of an answer that was cut, for an hour.';
  const template = new ResourceTemplate(ANSWER_TEMPLATE, { list: undefined });
  server.registerResource('answer', template, { description, mimeType: 'application/json' }, (uri, { answer }) => {
    const text = kept.text(String(answer));
    if (text === undefined) throw new Error('this answer is not kept any more: call the tool again');
    return { contents: [{ uri: uri.href, mimeType: 'application/json', text }] };
  });
}

/** The tools of a server, in the order in which they are listed. */
export function toolsOf(desk: Desk, isAll: boolean): ServedTool[] {
  return [...methodTools(desk, isAll), quoteTool(desk), spendingTool(desk), readOnTool(desk.kept)];
}

/** Makes servers that share one budget. Schemas are compiled at most once: over HTTP a server lasts for one request. */
export function createServers({ isAll, version, ...options }: McpOptions): McpServerFactory {
  const desk: Desk = { calls: new Calls(options), approvals: new Approvals(), kept: new KeptAnswers() };
  const tools = toolsOf(desk, isAll).map((tool) => ({ tool, schema: argumentSchema(tool.inputSchema) }));
  return () => {
    const server = new McpServer({ name: NAME, version, title: 'Asset gateway' }, { instructions: INSTRUCTIONS });
    for (const { tool, schema } of tools) offer(server, tool, schema);
    offerAnswers(server, desk.kept);
    return server;
  };
}
