import { spawn } from 'node:child_process';

const TSC = ['--build', '--watch', '--preserveWatchOutput'];
const SANDBOX = ['--watch', '--watch-preserve-output', '--enable-source-maps'];
const PROGRAM = 'packages/sandbox/dist/start.js';

/** Whether a word is one of Node's debugger options. */
export const isInspect = (word) => /^--inspect(?:-brk)?(?:=[\w.:[\]]+)?$/.test(word);

/** The native compiler: its Node wrapper would leave it running when killed. */
const compiler = async () => (await import('../node_modules/typescript-7/lib/getExePath.js')).default();

/** Compiles each change and restarts the sandboxed gateway with it, until stopped. */
export async function dev(words) {
  const programs = [
    [await compiler(), TSC],
    [process.execPath, [...SANDBOX, ...words, PROGRAM]],
  ];
  const children = programs.map(([program, rest]) => spawn(String(program), [...rest], { stdio: 'inherit' }));
  let isStopping = false;
  const stop = () => {
    isStopping = true;
    for (const child of children) child.kill('SIGTERM');
  };
  // A terminal sends SIGINT to the whole group.
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  for (const child of children) {
    child.once('exit', (code) => {
      if (isStopping) return;
      process.exitCode = code || 1;
      stop();
    });
  }
}
