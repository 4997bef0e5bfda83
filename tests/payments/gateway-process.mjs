// A gateway in a process of its own, configured by the environment, that kills itself after the step that a line on its
// standard input names. With argv[2] no file of it may grow beyond so many blocks, as on a disk that is full.
import { spawn } from 'node:child_process';
import { processEnvironment, readConfig, run, startGateway } from '../../packages/gateway/bin/index.js';

const [, script, blocks] = process.argv;

async function serve() {
  let last;
  process.stdin.on('data', (line) => {
    last = String(line);
    process.stdout.write('told\n');
  });
  const gateway = await startGateway(readConfig(processEnvironment()), {
    onStep: (step) => {
      if (step === last) process.kill(process.pid, 'SIGKILL');
    },
  });
  process.stdout.write(`listening ${gateway.url}\n`);
  return gateway;
}

if (blocks === undefined) {
  await run(serve);
} else {
  const command = `ulimit -f ${Number(blocks)}; exec "$0" "$1"`;
  const child = spawn('sh', ['-c', command, process.execPath, script], { stdio: 'inherit' });
  child.on('exit', (code) => process.exit(code ?? 1));
  process.on('SIGTERM', () => child.kill('SIGKILL'));
}
