// Makes three calls with a clock that is an hour behind, and three with one that is an hour ahead.
import { createClient } from '@asset-gateway/client';

const RealDate = Date;
const outcomes = [];
for (const offset of [-3_600_000, 3_600_000]) {
  globalThis.Date = class extends RealDate {
    constructor(...parts) {
      super(...(parts.length > 0 ? parts : [RealDate.now() + offset]));
    }

    static now() {
      return RealDate.now() + offset;
    }
  };
  const client = createClient({ baseUrl: process.argv[2] });
  const statuses = [];
  for (let call = 0; call < 3; call++) statuses.push((await client.tokens.health().full()).response.status);
  outcomes.push([String(offset), ...statuses]);
}
process.stdout.write(JSON.stringify(outcomes));
