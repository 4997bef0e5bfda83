// One of many contenders for the lock of the folder argv[2]: takes it, checks that it is the only holder, and releases it, in rounds.
// The last time it is killed while it has it. Says `two holders` when it met another one, and `itself` when it is named as the holder
// before it was one.
import { closeSync, openSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { lockFolder } from '../../packages/gateway/dist/stores/lock.js';

const [folder, turns] = [process.argv[2], Number(process.argv[3])];
const witness = `${folder}/witness`;

async function take(turn) {
  for (;;) {
    const locking = await lockFolder(folder);
    if ('lock' in locking) return locking.lock;
    if (turn === 1 && locking.lockedBy.startsWith(`process ${process.pid} `)) process.stdout.write('itself');
    await pause(Math.random() * 4);
  }
}

for (let turn = 1; ; turn++) {
  const lock = await take(turn);
  try {
    closeSync(openSync(witness, 'wx'));
  } catch {
    process.stdout.write('two holders');
    process.exit(1);
  }
  await pause(Math.random() * 4);
  rmSync(witness);
  if (turn === turns) process.kill(process.pid, 'SIGKILL');
  await lock.close();
}
