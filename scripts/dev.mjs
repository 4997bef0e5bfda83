import { spawn } from 'node:child_process';

const TSC = ['node_modules/typescript-7/bin/tsc', '--build', '--watch', '--preserveWatchOutput'];
const SANDBOX = ['--watch', '--watch-preserve-output', '--enable-source-maps'];
const PROGRAM = 'packages/sandbox/dist/start.js';

/** Whether this is an option of Node that opens a debugger's port. */
export const isInspect = (word) => /^--inspect(?:-brk)?(?:=[\w.:[\]]+)?$/.test(word);

/** Compiles what changes, and starts the sandboxed gateway again with it, until it is stopped. */
export function dev(words) {
  const children = [TSC, [...SANDBOX, ...words, PROGRAM]].map((rest) =>
    spawn(process.execPath, rest, { stdio: 'inherit' }),
  );
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
