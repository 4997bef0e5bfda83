import type { Command } from './command.ts';

/** A server for hosts of language models. Its packages are loaded for this command alone. */
export const mcpCommand: Command = {
  name: 'mcp',
  takes: '[--http [<port>]]',
  summary: 'an MCP server: all of this as tools of a language model',
  examples: ['mcp', 'mcp --budget-usd 0.05', 'mcp --tools=all', 'mcp --http 8405'],
  options: {
    'budget-usd': { type: 'string', takes: '<usd>', description: 'spent in 24 hours without asking; 0 unless told' },
    tools: { type: 'string', takes: '<set>', description: 'usual, or all methods', values: ['usual', 'all'] },
    cluster: { type: 'string', takes: '<name>', description: 'mainnet unless told', values: ['mainnet', 'devnet'] },
    http: { type: 'boolean', description: 'HTTP on 127.0.0.1 for programs of this machine; without a wallet' },
  },
  run: async (given) => (await import('../mcp/command.ts')).serveMcp(given),
};
