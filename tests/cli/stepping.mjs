// Runs the command and kills it at one step of a purchase.
import { run } from '../../packages/cli/bin/index.js';

const [step, ...words] = process.argv.slice(2);
const onStep = (each) => {
  if (each === step) process.kill(process.pid, 'SIGKILL');
};
process.exitCode = await run(words, { onStep });
