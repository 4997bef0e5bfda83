/** Version 3 with the lowest error correction: one block, room for 53 bytes, more than an address needs. */
const SIZE = 29;
const [DATA_BYTES, CHECK_BYTES] = [55, 15];
/** The level and the mask (rows and columns with an even sum), with their check bits (ISO/IEC 18004, annex C). */
const FORMAT = 0x77c4;
/** The centres of the three large corner marks and of the small one. */
const CORNERS = [
  [3, 3],
  [SIZE - 4, 3],
  [3, SIZE - 4],
] as const;
const SMALL = SIZE - 7;

/** Multiplies in GF(2^8) by the polynomial 0x11d. */
function multiply(one: number, other: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--)
    product = (product << 1) ^ ((product >>> 7) * 0x11d) ^ (((other >>> bit) & 1) * one);
  return product;
}

/** The coefficients of the Reed-Solomon generator, without the leading one. */
function generator(): number[] {
  const result = [...Array<number>(CHECK_BYTES - 1).fill(0), 1];
  let root = 1;
  for (let degree = 0; degree < CHECK_BYTES; degree++) {
    for (let at = 0; at < CHECK_BYTES; at++) result[at] = multiply(result[at] ?? 0, root) ^ (result[at + 1] ?? 0);
    root = multiply(root, 2);
  }
  return result;
}

function checkBytes(data: readonly number[]): number[] {
  const divisor = generator();
  let rest = Array<number>(CHECK_BYTES).fill(0);
  for (const byte of data) {
    const factor = byte ^ (rest[0] ?? 0);
    rest = [...rest.slice(1), 0].map((value, at) => value ^ multiply(divisor[at] ?? 0, factor));
  }
  return rest;
}

/** Mode 4 (bytes), the length, the text, and alternating padding. */
function codewords(text: string): number[] {
  const bytes = [...new TextEncoder().encode(text)];
  if (bytes.length > DATA_BYTES - 2) throw new Error('The text is too long for this QR code.');
  const nibbles = [4, ...[bytes.length, ...bytes].flatMap((byte) => [byte >> 4, byte & 15]), 0];
  const data = Array.from(
    { length: nibbles.length / 2 },
    (_, at) => (nibbles[2 * at] ?? 0) * 16 + (nibbles[2 * at + 1] ?? 0),
  );
  for (let pad = 0xec; data.length < DATA_BYTES; pad ^= 0xec ^ 0x11) data.push(pad);
  return [...data, ...checkBytes(data)];
}

type Modules = (boolean | undefined)[][];

/** Marks, timing lines and format bits. */
function drawFixed(set: (x: number, y: number, isDark: boolean) => void): void {
  for (let at = 0; at < SIZE; at++) {
    set(6, at, at % 2 === 0);
    set(at, 6, at % 2 === 0);
  }
  const drawMark = (x: number, y: number, radius: number, light: readonly number[]): void => {
    for (let dx = -radius; dx <= radius; dx++)
      for (let dy = -radius; dy <= radius; dy++)
        set(x + dx, y + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))));
  };
  for (const [x, y] of CORNERS) drawMark(x, y, 4, [2, 4]);
  drawMark(SMALL, SMALL, 2, [1]);
  for (let bit = 0; bit < 15; bit++) {
    const isDark = ((FORMAT >>> bit) & 1) === 1;
    if (bit < 8) {
      set(8, bit < 6 ? bit : bit + 1, isDark);
      set(SIZE - 1 - bit, 8, isDark);
    } else {
      set(bit === 8 ? 7 : 14 - bit, 8, isDark);
      set(8, SIZE - 15 + bit, isDark);
    }
  }
  set(8, SIZE - 8, true);
}

/** Fills the free modules with the data, in columns of two from the right, upwards and downwards in turn. */
function drawData(modules: Modules, text: string): void {
  const words = codewords(text);
  let next = 0;
  for (let right = SIZE - 1; right >= 1; right -= right === 8 ? 3 : 2) {
    const isUpward = ((right + 1) & 2) === 0;
    for (let step = 0; step < 2 * SIZE; step++) {
      const [x, row] = [right - (step % 2), step >> 1];
      const y = isUpward ? SIZE - 1 - row : row;
      const line = modules[y];
      if (!line || line[x] !== undefined) continue;
      const isSet = (((words[next >> 3] ?? 0) >>> (7 - (next & 7))) & 1) === 1;
      line[x] = isSet !== ((x + y) % 2 === 0);
      next++;
    }
  }
}

/** The QR code of a text of up to 53 bytes: rows of modules, true if dark. */
export function qrCode(text: string): readonly (readonly boolean[])[] {
  const modules: Modules = Array.from({ length: SIZE }, () => Array<undefined>(SIZE).fill(undefined));
  drawFixed((x, y, isDark) => {
    const line = modules[y];
    if (line && x >= 0 && x < SIZE) line[x] = isDark;
  });
  drawData(modules, text);
  return modules.map((line) => line.map((isDark) => isDark === true));
}
