import { expect, it } from 'vitest';
import { qrCode } from '../../packages/console/src/wallet/qr.ts';

/** The rows of the same code by another encoder (uqr 0.1.3: version 3, level L, mask 0), as hexadecimal numbers. */
const EXPECTED = `
  1fc98a7f 10473241 175d755d 174e455d 17442a5d 10487b41 1fd5557f 001dde00
  1df698c4 1d967802 1f584d73 0d22d963 05611bec 1f1bfb03 15f7044b 1501be42
  19de18c1 098ebd40 11f80577 0e3a9800 16d981f3 0017d912 1fdb1f57 105dbf1a
  175fcdfa 174ac413 1751463d 105dda02 1fd093d7
`;

it('the QR code of an address equals that of another encoder', () => {
  const rows = qrCode('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v').map((row) =>
    Number.parseInt(row.map(Number).join(''), 2).toString(16).padStart(8, '0'),
  );
  expect(rows).toEqual(EXPECTED.trim().split(/\s+/));
});
