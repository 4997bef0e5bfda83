// Runs commands one after the other in the terminal that it is started in, each with variables of its own. After what a command
// writes come a form feed, its exit code and another form feed.
import { run } from '../../packages/cli/bin/index.js';

for (const { typed, env } of JSON.parse(process.argv[2])) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.stdout.write(`\f${await run(typed.split(' '))}\f`);
}
