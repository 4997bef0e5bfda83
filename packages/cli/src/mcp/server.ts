import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  McpServer,
  type McpServerFactory,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { version } from '../config.ts';
import { ANSWER_TEMPLATE, StoredAnswers } from './answer.ts';
import { Approvals, type CallServices } from './approvals.ts';
import { EXTENSION } from './by-client.ts';
import { Calls, type CallsOptions } from './calls.ts';
import { methodTools } from './method-tools.ts';
import { quoteTool, readOnTool, spendingTool } from './own-tools.ts';
import { argumentSchema, type ServedTool, type ToolContext } from './served-tool.ts';

const NAME = 'asset-gateway';
const INSTRUCTIONS =
  'Market data of assets and Solana data. Find an asset with tokens_search or tokens_resolve, then ask by its assetId or mint. ' +
  'Paid tools name their price: the client pays it by x402, or this server within its budget, beyond which it asks the user. ' +
  'Long answers are cut: read_on shows the rest.';

/** Returns the host's abilities, as declared with this request or at the connection. Only 2026-07-28 has results of an extension. */
function contextOf(server: McpServer, { mcpReq: request }: ServerContext): ToolContext {
  const claims = request.envelope as Readonly<Record<string, unknown>> | undefined;
  const declared = claims?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  const elicitation = (declared ?? server.server.getClientCapabilities())?.elicitation;
  return {
    canAsk: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
    hasExtension: declared?.extensions?.[EXTENSION] !== undefined,
    request,
  };
}

/** Registers the stored answers as a resource. */
function registerAnswers(server: McpServer, stored: StoredAnswers): void {
  const description = 'The whole text of a cut answer, stored for an hour.';
  const template = new ResourceTemplate(ANSWER_TEMPLATE, { list: undefined });
  server.registerResource('answer', template, { description, mimeType: 'application/json' }, (uri, { answer }) => {
    const text = stored.text(String(answer));
    if (text === undefined) throw new Error('this answer is no longer stored: call the tool again');
    return { contents: [{ uri: uri.href, mimeType: 'application/json', text }] };
  });
}

/** Returns a server's tools, in the order of its list. */
export function toolsOf(services: CallServices, isAll: boolean): ServedTool[] {
  const own = [quoteTool(services), spendingTool(services), readOnTool(services.stored)];
  // A gateway may list an API whose tool would have the name of one of these.
  const isOther = ({ name }: ServedTool): boolean => own.every((each) => each.name !== name);
  return [...methodTools(services, isAll).filter(isOther), ...own];
}

/**
 * Returns a factory of servers that share one budget and the compiled schemas. Over HTTP, a server lasts for one request. With `isAll`,
 * every method has a tool, not only the common ones.
 */
export function createServers(options: CallsOptions, isAll: boolean): McpServerFactory {
  const services: CallServices = { calls: new Calls(options), approvals: new Approvals(), stored: new StoredAnswers() };
  const tools = toolsOf(services, isAll).map((tool) => ({ ...tool, inputSchema: argumentSchema(tool.inputSchema) }));
  const capabilities = options.payBy === 'server' ? {} : { extensions: { [EXTENSION]: {} } };
  return () => {
    const about = { name: NAME, version, title: 'Asset gateway' };
    const server = new McpServer(about, { instructions: INSTRUCTIONS, capabilities });
    for (const { name, call, ...shown } of tools) {
      server.registerTool(name, shown, (input, context) => call(input, contextOf(server, context)));
    }
    registerAnswers(server, services.stored);
    return server;
  };
}
