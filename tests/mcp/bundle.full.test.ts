import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getMcpConfigForManifest, unpackExtension, v0_3, validateManifest } from '@anthropic-ai/mcpb';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeAll, describe, expect, it } from 'vitest';
import { mcpb } from '../../scripts/mcpb.mjs';
import { runHere } from '../cli/in-process.ts';
import { makeFolder } from '../kit/folder.ts';
import { blocksOf } from '../kit/page.ts';
import { startTestGateway } from '../kit/test-gateway.ts';

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const own = read('packages/cli/package.json');
const gateway = await startTestGateway();

describe('the bundle for Claude Desktop', () => {
  const folder = makeFolder();
  beforeAll(async () => {
    await mcpb(join(folder, 'own.mcpb'));
    await unpackExtension({ mcpbPath: join(folder, 'own.mcpb'), outputDir: join(folder, 'own'), silent: true });
  }, 240_000);

  it('has a valid manifest of this package', () => {
    expect(validateManifest(join(folder, 'own/manifest.json'))).toBe(true);
    const { version, description } = v0_3.McpbManifestSchema.parse(read(join(folder, 'own/manifest.json')));
    expect([version, description]).toEqual([own.version, read('packages/cli/server.json').description]);
  });

  it('runs without an installation, as a host starts it with only the gateway set', async () => {
    const config = await getMcpConfigForManifest({
      manifest: read(join(folder, 'own/manifest.json')),
      extensionPath: join(folder, 'own'),
      systemDirs: {},
      userConfig: { gateway: gateway.url },
      pathSeparator: '/',
    });
    if (!config) throw new Error('the host would not start it');
    const { args = [], env = {} } = config;
    const client = new Client({ name: 'test-host', version: '1.0.0' });
    const home = { HOME: folder, XDG_STATE_HOME: folder };
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, env: { ...env, ...home }, cwd: folder }),
    );
    try {
      const { structuredContent } = await client.callTool({ name: 'tokens_search', arguments: { q: 'gold' } });
      expect(structuredContent).toMatchObject({ result: { query: 'gold' } });
      expect(client.getServerVersion()).toMatchObject({ name: 'asset-gateway', version: own.version });
    } finally {
      await client.close();
    }
  });
});

it('server.json has the name and version of the package, and arguments and variables of the program', async () => {
  const server = read('packages/cli/server.json');
  const [published] = server.packages;
  expect(server.name).toBe(own.mcpName);
  expect(server.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
  expect([server.version, published.version, published.identifier]).toEqual([own.version, own.version, own.name]);
  expect(server.$schema).toBe('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json');
  expect(server.description.length).toBeLessThanOrEqual(100);
  const [{ value }, { name }] = published.packageArguments;
  expect((await runHere([value, '--help'])).stdout).toContain(`${name} <usd>`);
  const options = readFileSync('packages/cli/src/options.ts', 'utf8');
  for (const variable of published.environmentVariables) expect(options).toContain(`['${variable.name}'`);
});

it('docs/mcp.md starts the program of a clone in every host', () => {
  const page = readFileSync('docs/mcp.md', 'utf8');
  const [block = ''] = blocksOf('docs/mcp.md', 'json');
  const { command, args, env } = JSON.parse(block).mcpServers['asset-gateway'];
  const program = 'packages/cli/bin/main.js';
  expect([command, ...args]).toEqual(['node', `/path/to/asset-gateway/${program}`, 'mcp']);
  expect(existsSync(program)).toBe(true);
  expect(page).toContain(`npx -y ${own.name} mcp`);
  expect(Object.keys(env)).toEqual(['ASSET_GATEWAY_URL']);
  const inVsCode = /code --add-mcp '(\{.*\})'/.exec(page)?.[1] ?? '';
  expect(JSON.parse(inVsCode)).toEqual({ name: 'asset-gateway', command, args, env });
  for (const host of ['claude', 'codex']) {
    const words = `${host} mcp add asset-gateway --env ASSET_GATEWAY_URL=${env.ASSET_GATEWAY_URL} -- `;
    expect(page).toContain(`\`${words}node "$PWD/${program}" mcp\``);
  }
});

it('every other command starts without the packages of MCP', () => {
  const imports = readFileSync('packages/cli/bin/main.js', 'utf8').match(/^import .* from "\.\/.*";$/gm) ?? [];
  const loaded = ['main.js', ...imports.map((line) => line.slice(line.lastIndexOf('./') + 2, -2))];
  for (const name of loaded) expect(readFileSync(`packages/cli/bin/${name}`, 'utf8')).not.toContain('tools/list');
});
