import { spawn } from 'node:child_process';

const TSC = ['--build', '--watch', '--preserveWatchOutput'];
const SANDBOX = ['--watch', '--watch-preserve-output', '--enable-source-maps'];
const PROGRAM = 'packages/sandbox/dist/start.js';

/** Whether this is an option of Node that opens a debugger's port. */
export const isInspect = (word) => /^--inspect(?:-brk)?(?:=[\w.:[\]]+)?$/.test(word);

/** The compiler itself: its script for Node would leave it behind when it is killed. */
const compiler = async () => (await import('../node_modules/typescript-7/lib/getExePath.js')).default();

/** Compiles what changes, and starts the sandboxed gateway again with it, until it is stopped. */
export async function dev(words) {
  const programs = [
    [await compiler(), TSC],
    [process.execPath, [...SANDBOX, ...words, PROGRAM]],
  ];
  const children = programs.map(([program, rest]) => spawn(program, rest, { stdio: 'inherit' }));
  let isStopping = false;
  const stop = () => {
    isStopping = true;
    for (const child of children) child.kill('SIGTERM');
  };
  // A terminal sends SIGINT to all of them, so all that is left to do is to wait.
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
