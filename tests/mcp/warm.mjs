// Serves one host after another in one process: what goes through the pipes of a process of its own comes and goes as messages.
import { PassThrough, Writable } from 'node:stream';
import { run } from '../../packages/cli/bin/index.js';

const stdout = new Writable({
  write(chunk, _, done) {
    process.send({ written: chunk.toString() }, done);
  },
});
let stdin;

async function serve({ words, env }) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  stdin = new PassThrough();
  for (const [name, value] of Object.entries({ stdin, stdout }))
    Object.defineProperty(process, name, { value, configurable: true });
  process.send({ code: await run(words) });
}

process.on('message', ({ host, line }) => {
  if (host) serve(host);
  else if (line) stdin.write(line);
  else stdin.destroy();
});
