// Runs the command line, or its ledger, in one of the ways that a test names.
import { run } from '../../packages/cli/bin/index.js';

/** Kills the process at one step of a purchase. */
async function kill(step, ...words) {
  const onStep = (each) => {
    if (each === step) process.kill(process.pid, 'SIGKILL');
  };
  process.exitCode = await run(words, { onStep });
}

/** Holds the same amount repeatedly within a limit, and prints how often it succeeded. */
async function hold(folder, times, perDayMicros) {
  // The bundle keeps it to itself, and the other ways start in a third of the time without it.
  const { LedgerFile } = await import('../../packages/cli/dist/money/ledger-file.js');
  const ledger = new LedgerFile(folder);
  const limits = { perDayMicros: Number(perDayMicros), inAllMicros: Number.POSITIVE_INFINITY };
  let held = 0;
  for (let time = 0; time < Number(times); time++) {
    held += await ledger.hold(5, limits).then(
      () => 1,
      () => 0,
    );
  }
  process.stdout.write(String(held));
}

/**
 * Runs commands in sequence in its terminal, each with its own environment. After the output of a command it prints a form feed, the exit
 * code and another form feed.
 */
async function type(commands) {
  for (const { typed, env } of JSON.parse(commands)) {
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, env);
    process.stdout.write(`\f${await run(typed.split(' '))}\f`);
  }
}

const [way, ...words] = process.argv.slice(2);
await { kill, hold, type }[way](...words);
