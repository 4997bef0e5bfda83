const MINT = 'So11111111111111111111111111111111111111112';

/** Asset ids that lead elsewhere, or that no upstream may see. */
export const HOSTILE_IDS = [
  ...(String.raw`
    . .. ... .... %2e %2E %2e%2e %2E%2E .%2e %2e. %252e%252e %252e %25252e%25252e
    ..%2f..%2fwhoami ..%2F..%2Fwhoami %2e%2e%2f%2e%2e%2fwhoami ..%5c ..%5c..%5cwhoami ..\..\whoami %5c \
    ../whoami ../../whoami ../../../v1/whoami ./whoami solana/../../whoami solana/..%2f..%2fwhoami a/b a%2fb %2f %2fwhoami
    ; solana;x ;/../whoami solana;jsessionid=1 %3b %00 solana%00 %00solana %0a %0d%0a solana%0aHost:%20evil
    %09 %20 solana%20 %20solana %7f %c2%85 %3f solana%3fmint=x %23 solana%23x %26
    @ @evil.test evil.test@ :80 %40evil.test * $ ! ~ -a _a .a ' ( , + = &
    % %2 %zz %u002e %c0%ae%c0%ae %c0%af %ff %ed%a0%80 %f0%9f%a6%84 %e2%80%ae %ef%bc%8e
    {id} <x> "x" | ^ [x] %5bx%5d / // //evil.test
  `.match(/\S+/g) ?? []),
  ...['', '`', '％2e', 'ü', '٣', '．．', 'x'.repeat(129), 'x'.repeat(1000), '%61'.repeat(129), 'x'.repeat(10_240)],
  ...['../'.repeat(3_400), '%2e%2e%2f'.repeat(1_200), `solana-${MINT}/../x`, `solana-${MINT}%2f..%2fx`],
  ...[`solana-${MINT}%00`, `solana-${MINT};x=1`, `${MINT}%0d%0aX-Evil:%201`],
];
