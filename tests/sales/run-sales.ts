import { openArchive } from '../../packages/gateway/src/compose/sales.ts';
import { type Environment, readConfig } from '../../packages/gateway/src/config/config.ts';
import { sales } from '../../packages/gateway/src/sales/command.ts';

/** Runs the command in this process with a gateway's variables: to start another process would take longer. */
export async function runSales(variables: Environment, ...words: string[]) {
  const written = { stdout: '', stderr: '' };
  const into = (name: keyof typeof written) => ({
    write(text: string) {
      written[name] += text;
    },
  });
  const output = { stdout: into('stdout'), stderr: into('stderr') };
  const code = await sales(words, output, async (toRepair) => openArchive(readConfig(variables), toRepair));
  return { code, ...written };
}
