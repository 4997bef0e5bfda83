import { CLUSTER } from '../options.ts';
import type { Command } from './command.ts';

/** The MCP server. Its packages are loaded for this command only. */
export const mcpCommand: Command = {
  name: 'mcp',
  takes: '[--http [<port>]]',
  summary: 'an MCP server with these commands as tools',
  examples: ['mcp', 'mcp --budget-usd 0.05', 'mcp --tools=all', 'mcp --http 8405'],
  options: {
    'budget-usd': { type: 'string', takes: '<usd>', description: 'the budget of 24 hours without asking; default: 0' },
    tools: {
      type: 'string',
      takes: '<set>',
      description: 'the usual tools, or one for each method',
      values: ['usual', 'all'],
    },
    ...CLUSTER,
    http: { type: 'boolean', description: 'serve HTTP on 127.0.0.1, without a wallet' },
  },
  run: async (given) => (await import('../mcp/command.ts')).serveMcp(given),
};
