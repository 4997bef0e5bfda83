// Calls our MCP server as a model's host does. The server pays until the budget in mcp.json is used up.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const settings = JSON.parse(readFileSync(new URL('mcp.json', import.meta.url), 'utf8'));
const { command, args, env } = settings.mcpServers['asset-gateway'];
const cwd = fileURLToPath(new URL('..', import.meta.url));
const host = new Client({ name: 'tutorial', version: '1.0.0' });
await host.connect(new StdioClientTransport({ command, args, cwd, env: { ...env, ...process.env }, stderr: 'ignore' }));

const { tools } = await host.listTools();
console.log(tools.map(({ name }) => name).join(' '));

async function call(name, input) {
  const { content, structuredContent, isError } = await host.callTool({ name, arguments: input });
  return isError ? `refused: ${content[0].text}` : structuredContent;
}

const found = await call('tokens_search', { q: 'gold', limit: 1 });
if (!found.result) {
  console.error(found);
  process.exit(1);
}
console.log('free:', found.result.results[0].assetId);

const balance = { method: 'getBalance', arguments: { account: 'So11111111111111111111111111111111111111112' } };
console.log('quote:', (await call('quote', { method: 'rpc_getBalance' })).priceUsd);
for (const turn of [1, 2, 3]) {
  const answer = await call('rpc', balance);
  console.log(`call ${turn}:`, answer.paid ? `paid $${answer.paid.usd}` : answer);
}
console.log('spent:', (await call('spending', {})).spentUsd);
await host.close();
