// Runs commands one after the other in one process, each with variables of its own, as it would be in a process of its own.
import { run } from '../../packages/cli/bin/index.js';

const written = { stdout: [], stderr: [] };
for (const name of ['stdout', 'stderr']) {
  process[name].write = (data) => {
    written[name].push(Buffer.from(data));
    return true;
  };
}

/** Where Node's fetch finds its connections: each command has its own, as a new process has. */
const CONNECTIONS = Symbol.for('undici.globalDispatcher.1');
function forgetConnections() {
  const known = globalThis[CONNECTIONS];
  if (!known) return;
  globalThis[CONNECTIONS] = new known.constructor();
  void known.close();
}

process.on('message', async ({ words, env }) => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  forgetConnections();
  const code = await run(words);
  const [stdout, stderr] = [written.stdout, written.stderr].map((parts) => Buffer.concat(parts.splice(0)).toString());
  process.send({ code, stdout, stderr });
});
