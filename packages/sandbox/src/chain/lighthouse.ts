/** Wallets add assertions of this program to transactions: https://github.com/Jac0xb/lighthouse. */
export const LIGHTHOUSE_PROGRAM = 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95';

/** A label, or an instruction of Solana's bytecode: opcode, registers, an offset or the label to jump to, and a number. */
type Line = string | readonly [code: number, to?: number, from?: number, at?: number | string, value?: number];

const [RESULT, INPUT, LEFT, RIGHT, KIND, CURSOR, COUNT, FIRST, LEFT_OVER] = [0, 1, 2, 3, 4, 6, 7, 8, 9];
/** Opcodes; the last operand is a number (N) or a register (R). */
const [SET_N, SET_R, ADD_N, ADD_R, AND_N, EXIT] = [0xb7, 0xbf, 0x07, 0x0f, 0x57, 0x95];
const [LOAD_BYTE, LOAD_U64, JUMP, IF_SAME_N, IF_OTHER_N, IF_LESS_N, IF_MORE_N] = [
  0x71, 0x79, 0x05, 0x15, 0x55, 0xa5, 0x25,
];
/** Jumps, in the order of Lighthouse's operators: =, !=, >, <, >=, <=. */
const RELATIONS = [0x1d, 0x5d, 0x2d, 0xad, 0x3d, 0xbd];

/** Offsets in a program's input from the start of an account, and the room behind the account's data. */
const [LAMPORTS_AT, LENGTH_AT, DATA_AT, ROOM] = [72, 80, 88, 10_240];
/** Lighthouse's instructions and errors. */
const [ASSERT_DATA, ASSERT_INFO, ASSERT_CLOCK, LAST] = [2, 5, 15, 17];
const [INVALID, FAILED, NO_ACCOUNT] = [6_000, 6_001, 6_002];

const fail = (label: string, code: number): Line[] => [label, [SET_N, RESULT, 0, 0, code], [EXIT]];

/**
 * A stand-in for Lighthouse, which is not on npm. It decides as Lighthouse does about an account's lamports. It accepts other assertions
 * if they have their account, and refuses to write or close memory. To change a prebuilt file would need Solana's compiler, which is not on
 * npm either.
 */
const PROGRAM: readonly Line[] = [
  [LOAD_U64, COUNT, INPUT, 0],
  [SET_R, LEFT_OVER, COUNT],
  [SET_R, CURSOR, INPUT],
  [ADD_N, CURSOR, 0, 0, 8],
  [SET_R, FIRST, CURSOR],
  'account',
  [IF_SAME_N, LEFT_OVER, 0, 'instruction', 0],
  [ADD_N, LEFT_OVER, 0, 0, -1],
  [LOAD_BYTE, LEFT, CURSOR, 0],
  [IF_SAME_N, LEFT, 0, 'new', 255],
  [ADD_N, CURSOR, 0, 0, 8],
  [JUMP, 0, 0, 'account'],
  'new',
  [LOAD_U64, LEFT, CURSOR, LENGTH_AT],
  [ADD_R, CURSOR, LEFT],
  // The end is rounded up to 8 bytes. 8 more bytes follow.
  [ADD_N, CURSOR, 0, 0, DATA_AT + ROOM + 7],
  [AND_N, CURSOR, 0, 0, -8],
  [ADD_N, CURSOR, 0, 0, 8],
  [JUMP, 0, 0, 'account'],
  'instruction',
  [LOAD_U64, LEFT, CURSOR, 0],
  [IF_SAME_N, LEFT, 0, 'invalid', 0],
  [LOAD_BYTE, KIND, CURSOR, 8],
  [IF_LESS_N, KIND, 0, 'invalid', ASSERT_DATA],
  [IF_MORE_N, KIND, 0, 'invalid', LAST],
  [IF_SAME_N, KIND, 0, 'true', ASSERT_CLOCK],
  [IF_SAME_N, COUNT, 0, 'no account', 0],
  [IF_OTHER_N, KIND, 0, 'true', ASSERT_INFO],
  [IF_LESS_N, LEFT, 0, 'invalid', 12],
  [LOAD_BYTE, KIND, CURSOR, 10],
  // Only lamports are compared.
  [IF_OTHER_N, KIND, 0, 'true', 0],
  [LOAD_U64, LEFT, FIRST, LAMPORTS_AT],
  [LOAD_U64, RIGHT, CURSOR, 11],
  [LOAD_BYTE, KIND, CURSOR, 19],
  ...RELATIONS.flatMap((relation, index): Line[] => [
    [IF_OTHER_N, KIND, 0, `not ${index}`, index],
    [relation, LEFT, RIGHT, 'true'],
    [JUMP, 0, 0, 'false'],
    `not ${index}`,
  ]),
  ...fail('invalid', INVALID),
  ...fail('false', FAILED),
  ...fail('no account', NO_ACCOUNT),
  ...fail('true', 0),
];

const LINE_BYTES = 8;

function bytecodeOf(lines: readonly Line[]): Buffer {
  const places = new Map<string, number>();
  const own: Exclude<Line, string>[] = [];
  for (const line of lines) {
    if (typeof line === 'string') places.set(line, own.length);
    else own.push(line);
  }
  const code = Buffer.alloc(own.length * LINE_BYTES);
  for (const [index, [opcode, to = 0, from = 0, at = 0, value = 0]] of own.entries()) {
    const offset = typeof at === 'number' ? at : Number(places.get(at)) - index - 1;
    const start = index * LINE_BYTES;
    code.set([opcode, to | (from << 4)], start);
    code.writeInt16LE(offset, start + 2);
    code.writeInt32LE(value, start + 4);
  }
  return code;
}

const NAMES = Buffer.from('\0.text\0.shstrtab\0');
const [HEADER_BYTES, SECTION_BYTES] = [64, 64];
/** The name, kind and flags of the two sections: executable code, and names. */
const [CODE, STRINGS] = [
  [1, 1, 6],
  [7, 3, 0],
] as const;

/** Returns a section of an ELF file, with its bytes at a place in the file. */
function section([name, kind, flags]: typeof CODE | typeof STRINGS, at: number, { length }: Buffer): Buffer {
  const bytes = Buffer.alloc(SECTION_BYTES);
  bytes.writeUInt32LE(name, 0);
  bytes.writeUInt32LE(kind, 4);
  const address = kind === CODE[1] ? at : 0;
  for (const [index, value] of [flags, address, at, length].entries())
    bytes.writeBigUInt64LE(BigInt(value), 8 + index * 8);
  return bytes;
}

/** Returns an ELF file with one section of code, as Solana's loader reads it. */
function fileOf(code: Buffer): Buffer {
  const namesAt = HEADER_BYTES + code.length;
  const gap = Buffer.alloc(-(namesAt + NAMES.length) & 7);
  const header = Buffer.alloc(HEADER_BYTES);
  // 64 bits, little-endian; a shared object (3) for Solana's machine (247); three sections, the last with the names.
  header.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  header.set([3, 0, 247, 0, 1], 16);
  header.set([HEADER_BYTES, 0, 56, 0, 0, 0, SECTION_BYTES, 0, 3, 0, 2], 52);
  header.writeBigUInt64LE(BigInt(HEADER_BYTES), 24);
  header.writeBigUInt64LE(BigInt(namesAt + NAMES.length + gap.length), 40);
  const sections = [Buffer.alloc(SECTION_BYTES), section(CODE, HEADER_BYTES, code), section(STRINGS, namesAt, NAMES)];
  return Buffer.concat([header, code, NAMES, gap, ...sections]);
}

/** Returns the program as a chain loads it. */
export const lighthouseFile = (): Buffer => fileOf(bytecodeOf(PROGRAM));
