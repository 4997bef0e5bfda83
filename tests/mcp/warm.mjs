// Serves hosts in sequence in one process. Messages replace stdin and stdout.
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
