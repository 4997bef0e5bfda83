import { copyFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packExtension } from '@anthropic-ai/mcpb';

const CLI = 'packages/cli';
const FILES = ['manifest.json', 'package.json', 'LICENSE'];

/** Packs the bundled command line and its manifest into an extension for Claude Desktop. */
export async function mcpb(outputPath) {
  const folder = mkdtempSync(join(tmpdir(), 'asset-gateway-mcpb-'));
  try {
    for (const name of FILES) copyFileSync(join(CLI, name), join(folder, name));
    const filter = (path) => !path.endsWith('.map');
    cpSync(join(CLI, 'bin'), join(folder, 'server'), { recursive: true, filter });
    const isPacked = await packExtension({ extensionPath: folder, outputPath, silent: true });
    if (!isPacked) throw new Error('the bundle was not packed: run npx mcpb validate packages/cli/manifest.json');
    process.stdout.write(`${outputPath} written\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
