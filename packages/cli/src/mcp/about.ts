import { calledAs } from '../config.ts';
import { wrapped } from '../help.ts';

const NAME = 'asset-gateway';

/** Returns the text that `mcp` prints at a terminal: what it is, and how an application starts it. */
export function aboutMcp(gateway: string, program = process.argv[1] ?? ''): string {
  const env = { ASSET_GATEWAY_URL: gateway };
  const started = { command: 'node', args: [program, 'mcp'], env };
  const inShell = `'${program.replaceAll("'", `'\\''`)}'`;
  return `${wrapped('This is an MCP server: an AI application starts it and calls its tools, so it does nothing at a terminal. Add it to yours:')}

Claude Code:
  claude mcp add ${NAME} --env ASSET_GATEWAY_URL=${gateway} \\
    -- node ${inShell} mcp

VS Code:
  code --add-mcp \\
    '${JSON.stringify({ name: NAME, ...started }).replaceAll("'", `'\\''`)}'

Cursor (~/.cursor/mcp.json) and Claude Desktop (claude_desktop_config.json):
${JSON.stringify({ mcpServers: { [NAME]: started } }, undefined, 2)}

${wrapped(`Asset data is free. The server pays for nothing without asking. With --budget-usd 0.05 after mcp, it may spend that much in 24 hours. With --pay-by client, the application pays. ${calledAs().command} mcp --help lists the options.`)}
`;
}
