declare module 'sodium-native' {
  const sodium: {
    crypto_sign_verify_detached(signature: Buffer, message: Buffer, publicKey: Buffer): boolean;
    crypto_auth(output: Buffer, input: Buffer, key: Buffer): void;
    randombytes_buf(buffer: Buffer): void;
  };
  export default sodium;
}
