// Runs commands in sequence in one process, each with its own environment.
import { run } from '../../packages/cli/bin/index.js';

const written = { stdout: [], stderr: [] };
for (const name of ['stdout', 'stderr']) {
  process[name].write = (data) => {
    written[name].push(Buffer.from(data));
    return true;
  };
}

/** The connection pool of Node's fetch. Each command gets a new one, like a new process. */
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
