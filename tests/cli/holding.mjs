// Sets aside the same amount again and again, and prints how often there was room for it.
import { LedgerFile } from '../../packages/cli/dist/money/ledger-file.js';

const [folder, times] = process.argv.slice(2);
const ledger = new LedgerFile(folder, Date.now);
let held = 0;
for (let time = 0; time < Number(times); time++) {
  held += await ledger.hold(5, { perDayMicros: 1000, inAllMicros: Number.POSITIVE_INFINITY }).then(
    () => 1,
    () => 0,
  );
}
process.stdout.write(String(held));
