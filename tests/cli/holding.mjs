// Holds the same amount repeatedly within a limit, and prints how often it succeeded.
import { LedgerFile } from '../../packages/cli/dist/money/ledger-file.js';

const [folder, times, perDayMicros] = process.argv.slice(2);
const ledger = new LedgerFile(folder, Date.now);
let held = 0;
for (let time = 0; time < Number(times); time++) {
  held += await ledger.hold(5, { perDayMicros: Number(perDayMicros), inAllMicros: Number.POSITIVE_INFINITY }).then(
    () => 1,
    () => 0,
  );
}
process.stdout.write(String(held));
