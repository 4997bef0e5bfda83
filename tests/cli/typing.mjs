// Runs commands in sequence in its terminal, each with its own environment. After the output of a command it prints a form feed, the
// exit code and another form feed.
import { run } from '../../packages/cli/bin/index.js';

for (const { typed, env } of JSON.parse(process.argv[2])) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.stdout.write(`\f${await run(typed.split(' '))}\f`);
}
