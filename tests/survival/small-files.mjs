// Becomes a gateway process that may write no file beyond a few blocks, as on a disk that is full.
import { spawn } from 'node:child_process';

const blocks = 120;
const child = spawn(
  'sh',
  ['-c', `ulimit -f ${blocks}; exec "$0" tests/budget/gateway-process.mjs 60000`, process.execPath],
  {
    stdio: 'inherit',
  },
);
child.on('exit', (code) => process.exit(code ?? 1));
process.on('SIGTERM', () => child.kill('SIGTERM'));
