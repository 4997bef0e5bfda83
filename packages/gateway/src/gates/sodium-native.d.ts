declare module 'sodium-native' {
  const sodium: {
    crypto_sign_verify_detached(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean;
    crypto_auth(output: Buffer, input: Uint8Array, key: Uint8Array): void;
  };
  export default sodium;
}
